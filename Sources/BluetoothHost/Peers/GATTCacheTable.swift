// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT

/// GATT caches of a bounded number of peers. The cache renewed longest ago goes first.
struct GATTCacheTable: Sendable {
    static let capacity = 512

    private var caches: [DeviceAddress: GATTClientCache] = [:]
    /// The most recently renewed peer comes last.
    private var order: [DeviceAddress] = []

    subscript(peer: DeviceAddress) -> GATTClientCache? { caches[peer] }

    mutating func keep(_ cache: GATTClientCache, for peer: DeviceAddress) {
        if caches.updateValue(cache, forKey: peer) != nil { order.removeAll { $0 == peer } }
        order.append(peer)
        if order.count > Self.capacity { caches.removeValue(forKey: order.removeFirst()) }
    }

    mutating func forget(_ peer: DeviceAddress) {
        if caches.removeValue(forKey: peer) != nil { order.removeAll { $0 == peer } }
    }
}
