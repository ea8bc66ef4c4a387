// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT

/// How far a peer is known as a server, on this link and, where that is still to be believed, on earlier ones; a value.
struct LinkDiscovery: Sendable {
    /// The GATT client has begun, with the exchange of MTUs. As the Peripheral it waits until a client comes.
    private var hasBegun = false
    /// Primary services that were found.
    private(set) var services: Set<BluetoothUUID> = []
    /// The peer was asked for all of them, for whoever looks for connected peers by service.
    private(set) var isSearched = false

    /// False where it has begun before.
    mutating func begin() -> Bool {
        defer { hasBegun = true }
        return !hasBegun
    }

    mutating func remember(_ services: Set<BluetoothUUID>) { self.services = services }
    mutating func found(_ services: Set<BluetoothUUID>) {
        self.services = PeerMemory.remembered(services, beside: self.services)
    }
    mutating func search() { isSearched = true }

    /// All of its services may be others now.
    mutating func forget() { (services, isSearched) = ([], false) }
}
