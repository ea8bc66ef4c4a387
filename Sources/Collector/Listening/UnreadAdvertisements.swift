// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The advertisements of a sensor that no family understands. All times in milliseconds since boot.
struct UnreadAdvertisements: Equatable, Sendable {
    /// The time of the last advertisement.
    private(set) var at: Int64?
    /// The octets of the last advertisement while no values come.
    private(set) var octets: HeardOctets?

    /// - Parameter hasValues: The sensor's values are those of the present, so nobody asks for the octets.
    mutating func heard(_ octets: @autoclosure () -> AdvertisedOctets, at now: Int64, hasValues: Bool) {
        at = now
        if !hasValues { self.octets = HeardOctets(octets()) }
    }

    mutating func valueCame() { octets = nil }

    /// When something came last that brought no value; nil if all was read. Before the first value of a sensor with a
    /// trouble, every packet is such a thing: the trouble is the reason that nothing can be read.
    func lastAt(heardAt: Int64?, hasValue: Bool, hasTrouble: Bool) -> Int64? {
        guard !hasValue, hasTrouble else { return at }
        return max(at ?? heardAt ?? 0, heardAt ?? 0)
    }
}
