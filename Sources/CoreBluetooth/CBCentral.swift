// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import Synchronization

/// A remote central that is connected to this host.
open class CBCentral: CBPeer, @unchecked Sendable {
    // Sound: what changes is behind the Mutex.

    struct State {
        /// Nil when it is not connected.
        var link: LinkID?
        var mtu = GATTClientMachine.defaultMTU
        /// Updates that the radio has not sent yet, or of indications, that the central has not confirmed.
        var updatesWaiting = 0
    }

    /// Updates that may wait for one central.
    static let updateLimit = 16

    let changing = Mutex(State())

    /// The most octets that one notification or indication carries to this central: MTU − 3, up to 512.
    open var maximumUpdateValueLength: Int { min(Attribute.maximumLength, changing.withLock { $0.mtu } - 3) }

    var isConnected: Bool { changing.withLock { $0.link } != nil }

    /// Takes a place in the queue; false when there is none.
    func takePlace() -> Bool {
        changing.withLock { state in
            guard state.link != nil, state.updatesWaiting < Self.updateLimit else { return false }
            state.updatesWaiting += 1
            return true
        }
    }

    func givePlaceBack() { changing.withLock { $0.updatesWaiting = max(0, $0.updatesWaiting - 1) } }

    /// Room for several updates: to be told of each single place would cost more than it gains.
    var hasRoom: Bool { changing.withLock { $0.updatesWaiting } <= Self.updateLimit / 2 }

    open override var description: String { "<CBCentral identifier = \(identifier)>" }
}
