// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// Objects of one run of values that were looked up already: they come from a few characteristics. A place a
/// pair of link and handle, without hashing: what does not fit there is looked up again.
struct ValueLookup {
    private struct Place {
        var link: LinkID
        var handle: UInt16
        var peripheral: CBPeripheral
        var characteristic: CBCharacteristic
    }

    /// A power of two.
    private static let count = 128

    private var places: [Place?] = []

    private static func index(_ link: LinkID, _ handle: UInt16) -> Int {
        Int(truncatingIfNeeded: link.rawValue &* 5 &+ UInt32(handle)) & (count - 1)
    }

    func find(_ link: LinkID, _ handle: UInt16) -> (peripheral: CBPeripheral, characteristic: CBCharacteristic)? {
        guard !places.isEmpty, let place = places[Self.index(link, handle)], place.link == link, place.handle == handle
        else { return nil }
        return (place.peripheral, place.characteristic)
    }

    mutating func note(
        _ peripheral: CBPeripheral, _ characteristic: CBCharacteristic, _ link: LinkID, _ handle: UInt16
    ) {
        if places.isEmpty { places = [Place?](repeating: nil, count: Self.count) }
        places[Self.index(link, handle)] = Place(
            link: link, handle: handle, peripheral: peripheral, characteristic: characteristic)
    }
}
