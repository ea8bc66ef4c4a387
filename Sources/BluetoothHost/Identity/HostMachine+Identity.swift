// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// A peer with an unknown address reveals its identity.
extension HostMachine {
    /// The peer of this link has revealed its identity address, and its bond is in the table. From now on the peer is
    /// known by the identity address, on this link and later. Clients are told with
    /// ``HostEvent/identityLearned(_:identity:)``. Without a bond, nothing happens: a claim alone proves no address.
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
