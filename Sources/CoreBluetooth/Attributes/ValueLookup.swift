// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// Objects already looked up in one run of values: the values of a run come from a few characteristics. A pair of link
/// and handle has one place, without hashing. A pair that finds its place taken is looked up again.
struct ValueLookup {
    /// The objects of a place, without reference counts for each value. Both objects have weak references, so each
    /// count is a slow one (8 % of a notification). Valid until the next ``record(_:_:_:_:)``.
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
        /// Keeps the found objects alive.
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
    mutating func record(
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
