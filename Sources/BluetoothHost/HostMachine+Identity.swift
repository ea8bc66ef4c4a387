// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// A peer that was a stranger's address tells who it is.
extension HostMachine {
    /// The peer of this link has told its identity address, and its bond is in the table: from now on it is known by
    /// that, on this link and later. Clients are told with ``HostEvent/identityLearned(_:identity:)``. Nothing happens
    /// without a bond: an address that somebody has only claimed is nobody's.
    package mutating func learnedIdentity(_ identity: DeviceAddress, on link: LinkID, at now: MonotonicTime) {
        guard let handle = links.handle(of: link), let old = links[handle]?.peer, bonds.contains(identity) else {
            return
        }
        links[handle]?.known.learned(identity)
        guard old != identity else { return }
        links[handle]?.information.peer = identity
        wishes.rename(old, to: identity)
        peers.rename(old, to: identity)
        unwant(old)
        if old.isResolvablePrivate { _ = bonds.heard(old, of: identity) }
        events.append(.identityLearned(old, identity: identity), for: .all)
        shareLink(handle, at: now)
        if wishes.isWanted(identity) { want(identity) }
        pump(at: now)
    }
}
