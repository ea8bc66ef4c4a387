// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// A peer that was a stranger's address tells who it is.
extension HostMachine {
    /// Peers whose former addresses are remembered, for clients that have not heard of it yet.
    static let renamedLimit = 32

    /// The peer of this link has told its identity address, and its bond is in the table: from now on it is known by
    /// that, on this link and later. Clients are told with ``HostEvent/identityLearned(_:identity:)``. Nothing happens
    /// without a bond: an address that somebody has only claimed is nobody's.
    package mutating func learnedIdentity(_ identity: DeviceAddress, on link: LinkID, at now: MonotonicTime) {
        guard let handle = handles[link], let old = links[handle]?.peer, bonds.contains(identity) else { return }
        links[handle]?.isBonded = true
        links[handle]?.identity = identity
        guard old != identity else { return }
        links[handle]?.peer = identity
        links[handle]?.information.peer = identity
        failures.removeValue(forKey: old)
        if let services = knownServices.removeValue(forKey: old) {
            knownServices[identity, default: []].formUnion(services)
        }
        if silentPeers.remove(old) != nil { silentPeers.insert(identity) }
        if let clients = interests.removeValue(forKey: old) { interests[identity, default: []].formUnion(clients) }
        unwant(old)
        if old.isResolvablePrivate { _ = bonds.heard(old, of: identity) }
        renamed.removeAll { $0.old == old }
        renamed.append((old, identity))
        if renamed.count > Self.renamedLimit { renamed.removeFirst() }
        events.append(.identityLearned(old, identity: identity), for: .all)
        shareLink(handle, at: now)
        if interests[identity] != nil { want(identity) }
        pump(at: now)
    }

    /// The address that a peer is known by now, which clients may not have heard yet.
    func currentName(of peer: DeviceAddress) -> DeviceAddress {
        renamed.last { $0.old == peer }?.identity ?? peer
    }
}
