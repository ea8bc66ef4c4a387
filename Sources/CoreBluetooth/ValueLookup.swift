// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// Objects of one run of values that were looked up already: they come from a few characteristics. A place a
/// pair of link and handle, without hashing: what does not fit there is looked up again.
struct ValueLookup {
    /// What a place holds, without counting references a value: both are referred to weakly, of which each count is a slow one
    /// (8 % of a notification). Good until the next ``note(_:_:_:_:)``.
    struct Found {
        fileprivate let peripheral: Unmanaged<CBPeripheral>
        fileprivate let characteristic: Unmanaged<CBCharacteristic>

        func callAsFunction<Result>(_ body: (CBPeripheral, CBCharacteristic) -> Result) -> Result {
            peripheral._withUnsafeGuaranteedRef { peripheral in
                characteristic._withUnsafeGuaranteedRef { body(peripheral, $0) }
            }
        }
    }

    private struct Place {
        var link: LinkID
        var handle: UInt16
        var found: Found
        /// Holds what was found.
        let objects: (CBPeripheral, CBCharacteristic)
    }

    /// A power of two.
    private static let count = 128

    private var places: [Place?] = []

    private static func index(_ link: LinkID, _ handle: UInt16) -> Int {
        Int(truncatingIfNeeded: link.rawValue &* 5 &+ UInt32(handle)) & (count - 1)
    }

    func find(_ link: LinkID, _ handle: UInt16) -> Found? {
        let index = Self.index(link, handle)
        guard !places.isEmpty, places[index]?.link == link, places[index]?.handle == handle else { return nil }
        return places[index]?.found
    }

    @discardableResult
    mutating func note(
        _ peripheral: CBPeripheral, _ characteristic: CBCharacteristic, _ link: LinkID, _ handle: UInt16
    ) -> Found {
        if places.isEmpty { places = [Place?](repeating: nil, count: Self.count) }
        let found = Found(
            peripheral: .passUnretained(peripheral), characteristic: .passUnretained(characteristic))
        places[Self.index(link, handle)] = Place(
            link: link, handle: handle, found: found, objects: (peripheral, characteristic))
        return found
    }
}
