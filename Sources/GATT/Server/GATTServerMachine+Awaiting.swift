// SPDX-License-Identifier: Apache-2.0

import ATT

extension GATTServerMachine {
    /// The owner whose answer the client waits for, and the requested handle.
    package var awaited: (owner: ServerOwner, handle: UInt16)? { asked.map { ($0.owner, $0.handle) } }

    /// The handles of the values with a subscription.
    package var subscriptions: Set<UInt16> { Set(client.configurations.keys) }
}
