// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT

/// Knowledge from earlier links for the next links: the peers' services, procedures of our own that peers do not bear,
/// and the caches of the GATT client. All of it is bounded.
struct PeerMemory: Sendable {
    /// Limit of remembered services of a peer.
    private static let servicesLimit = 256
    /// Peers whose services are remembered.
    static let knownServicesLimit = 512

    /// Services found on peers, also on ended links.
    private var knownServices: [DeviceAddress: Set<BluetoothUUID>] = [:]
    private var habits = PeerHabits()
    private var caches = GATTCacheTable()
    private var cacheChanges: [DeviceAddress: GATTCacheChange] = [:]

    /// The peer known by `old` has revealed its identity. Caches are kept by identity already.
    mutating func rename(_ old: DeviceAddress, to identity: DeviceAddress) {
        if let services = knownServices.removeValue(forKey: old) {
            knownServices[identity, default: []].formUnion(services)
        }
        habits.rename(old, to: identity)
    }

    // MARK: Services

    func services(of peer: DeviceAddress) -> Set<BluetoothUUID> { knownServices[peer] ?? [] }

    mutating func found(_ services: Set<BluetoothUUID>, on peer: DeviceAddress) {
        if knownServices.count >= Self.knownServicesLimit { knownServices = [:] }
        knownServices[peer] = Self.remembered(services, beside: self.services(of: peer))
    }

    /// If a peer has new services each time, only the last services are remembered.
    static func remembered(_ found: Set<BluetoothUUID>, beside known: Set<BluetoothUUID>) -> Set<BluetoothUUID> {
        let all = known.union(found)
        return all.count <= servicesLimit ? all : Set(found.prefix(servicesLimit))
    }

    // MARK: Procedures of our own

    /// Procedures to leave out on a link with `peer` now.
    func omitted(with peer: DeviceAddress, at now: MonotonicTime) -> [OwnProcedure] {
        habits.omitted(with: peer, at: now)
    }

    /// Whether links with any peer go without `procedure` now.
    func omits(_ procedure: OwnProcedure, at now: MonotonicTime) -> Bool { habits.omits(procedure, at: now) }

    /// A link with `peer` has ended during `procedures`, the most suspect ones first.
    mutating func ended(during procedures: [Set<OwnProcedure>], with peer: DeviceAddress, at now: MonotonicTime) {
        habits.ended(during: procedures, with: peer, at: now)
    }

    /// A link with `peer` has outlived `procedures`.
    mutating func outlived(_ procedures: Set<OwnProcedure>, with peer: DeviceAddress) {
        habits.outlived(procedures, with: peer)
    }

    // MARK: Caches

    func cache(of identity: DeviceAddress) -> GATTClientCache? { caches[identity] }

    /// Takes a cache of an earlier run. The findings of this run are newer, and win.
    mutating func provide(_ cache: GATTClientCache, for identity: DeviceAddress) {
        if caches[identity] == nil { caches.keep(cache, for: identity) }
    }

    /// Takes a link's discoveries, and keeps them for ``takeCacheChanges()``.
    mutating func record(_ change: GATTCacheChange, of identity: DeviceAddress) {
        cacheChanges[identity] = change
        switch change {
        case .keep(let cache): caches.keep(cache, for: identity)
        case .forget: caches.forget(identity)
        }
    }

    var hasCacheChanges: Bool { !cacheChanges.isEmpty }

    /// Changes since the last call, to keep for a later run.
    mutating func takeCacheChanges() -> [DeviceAddress: GATTCacheChange] {
        defer { cacheChanges = [:] }
        return cacheChanges
    }
}
