// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import Synchronization

/// A remote central with a connection to this host.
open class CBCentral: CBPeer, @unchecked Sendable {
    // Sound: the Mutex protects all mutable state.

    struct State {
        /// Nil without a connection.
        var link: LinkID?
        var mtu = GATTClientMachine.defaultMTU
        /// Updates in the queue: notifications that the radio has not sent yet, and indications without a confirmation.
        var updatesWaiting = 0
    }

    /// The most updates in one central's queue.
    static let updateLimit = 16

    let changing = Mutex(State())

    /// The most octets of one notification or indication to this central: MTU − 3, up to 512.
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

    /// Room for several updates: a call for each single place would cost more than it gains.
    var hasRoom: Bool { changing.withLock { $0.updatesWaiting } <= Self.updateLimit / 2 }

    open override var description: String { "<CBCentral identifier = \(identifier)>" }
}
