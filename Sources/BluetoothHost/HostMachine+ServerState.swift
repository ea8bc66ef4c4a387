// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GATT

/// What the server keeps of bonded clients between links: their configurations, and what they know of the database.
extension HostMachine {
    /// The link is encrypted: its peer is who it says it is.
    mutating func restoreServerState(on handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle], link.encryption.usesBond, let bond = bond(of: link),
            links[handle]?.served.restore() == true
        else { return }
        guard let state = try? JSONDecoder().decode(ClientState.self, from: Data(bond.clientState)) else { return }
        let context = context(of: handle, at: now)
        let effects = links[handle]?.server.restore(state, in: context) ?? []
        perform(effects, on: handle, at: now)
    }

    /// Only of a link that is encrypted with the bond's key: anybody may use a peer's address.
    mutating func keep(_ state: ClientState, of link: Link) {
        guard link.encryption.usesBond, var bond = bond(of: link) else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let data = try? encoder.encode(state), bond.clientState != Array(data) else { return }
        bond.clientState = Array(data)
        _ = store(bond)
    }
}
