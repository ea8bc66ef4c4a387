// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GATT

/// The server's state of bonded clients between links: their configurations, and their knowledge of the database.
extension HostMachine {
    /// The link is encrypted under the bond's key, so the peer is proven.
    mutating func restoreServerState(on handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle], link.encryption.usesBond, let bond = bond(of: link),
            links[handle]?.served.restore() == true
        else { return }
        guard let state = try? JSONDecoder().decode(ClientState.self, from: Data(bond.clientState)) else { return }
        let context = context(of: handle, at: now)
        let effects = links[handle]?.server.restore(state, in: context) ?? []
        perform(effects, on: handle, at: now)
    }

    /// Keeps `state` only for a link encrypted with the bond's key, because any device may use a peer's address.
    mutating func keep(_ state: ClientState, of link: Link) {
        guard link.encryption.usesBond, var bond = bond(of: link) else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let data = try? encoder.encode(state), bond.clientState != Array(data) else { return }
        bond.clientState = Array(data)
        _ = store(bond)
    }
}
