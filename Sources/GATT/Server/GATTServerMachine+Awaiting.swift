// SPDX-License-Identifier: Apache-2.0

import ATT

extension GATTServerMachine {
    /// Whose answer the client waits for, and the handle that it asked for.
    package var awaited: (owner: ServerOwner, handle: UInt16)? { asked.map { ($0.owner, $0.handle) } }

    /// Values that the client has subscribed to, by handle.
    package var subscriptions: Set<UInt16> { Set(client.configurations.keys) }
}
