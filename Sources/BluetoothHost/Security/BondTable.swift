// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// A bond to write to disk, or to forget.
package enum BondChange: Equatable, Sendable {
    case stored(Bond)
    case removed(DeviceAddress)
}

/// The bonds of one host. A bond is found by the peer's identity, or by a private address that the peer's key resolves.
package struct BondTable: Sendable {
    /// Limit of bonds: as many as a gateway has sensors. Each bond costs one AES for every new private address.
    package static let capacity = 256
    /// Limit of private addresses whose resolution is remembered, also without a result. Most addresses without a
    /// result are of passing phones.
    package static let cacheCapacity = 1024

    private var bonds: [DeviceAddress: Bond] = [:]
    private var identityKeys: [(identity: DeviceAddress, key: SecretKey)] = []
    /// Moves on whenever the peers' Identity Resolving Keys change; 0: there were none yet.
    package private(set) var keyRevision: UInt64 = 0
    /// The identity behind a private address; nil inside: an unknown device.
    private var resolved: [DeviceAddress: DeviceAddress?] = [:]
    /// The private address under which each peer was heard last.
    private var current: [DeviceAddress: DeviceAddress] = [:]
    private var changes: [BondChange] = []

    package init() {}

    package var count: Int { bonds.count }
    package var all: [Bond] { bonds.values.sorted { $0.identity.compact < $1.identity.compact } }

    /// Unauthenticated Centrals leave half of the room to other peers, because there may be any number of such
    /// Centrals.
    var hasRoomForStrangers: Bool {
        bonds.values.count { $0.isOfCentral && !$0.isAuthenticated } < Self.capacity / 2
    }

    package func bond(for identity: DeviceAddress) -> Bond? { bonds[identity] }

    func contains(_ identity: DeviceAddress) -> Bool { bonds.index(forKey: identity) != nil }

    /// Takes bonds from the disk. Bonds beyond the capacity are left out; true if all were taken.
    @discardableResult
    package mutating func provide(_ stored: [Bond]) -> Bool {
        var tookAll = true
        for bond in stored where !put(bond) { tookAll = false }
        return tookAll
    }

    /// Adds or replaces a new or changed bond; false if there is no room.
    package mutating func store(_ bond: Bond) -> Bool {
        guard bonds[bond.identity] != bond else { return true }
        guard put(bond) else { return false }
        record(.stored(bond))
        return true
    }

    package mutating func remove(_ identity: DeviceAddress) {
        guard let bond = bonds.removeValue(forKey: identity) else { return }
        if bond.identityKey != nil { forgetResolutions() }
        current.removeValue(forKey: identity)
        record(.removed(identity))
    }

    private mutating func put(_ bond: Bond) -> Bool {
        let old = bonds[bond.identity]
        guard old != nil || bonds.count < Self.capacity else { return false }
        bonds[bond.identity] = bond
        if old?.identityKey != bond.identityKey {
            forgetResolutions()
            current.removeValue(forKey: bond.identity)
        }
        return true
    }

    private mutating func forgetResolutions() {
        identityKeys = bonds.values.compactMap { bond in bond.identityKey.map { (bond.identity, $0) } }
        resolved.removeAll(keepingCapacity: true)
        keyRevision += 1
    }

    /// Bounded by the table: after several changes to a peer, only the last is kept.
    private mutating func record(_ change: BondChange) {
        changes.removeAll { $0.identity == change.identity }
        changes.append(change)
    }

    /// Changes to write to disk since the last call, in order.
    package mutating func takeChanges() -> [BondChange] {
        defer { changes = [] }
        return changes
    }

    // MARK: Private addresses

    /// The identity address behind `address`; `address` itself if it is not a private address of a known peer.
    package mutating func identity(of address: DeviceAddress) -> DeviceAddress {
        guard !identityKeys.isEmpty, address.isResolvablePrivate else { return address }
        if let known = resolved[address] { return known ?? address }
        if resolved.count >= Self.cacheCapacity { resolved.removeAll(keepingCapacity: true) }
        let identity = identityKeys.first { address.isResolved(by: $0.key) }?.identity
        resolved[address] = .some(identity)
        return identity ?? address
    }

    /// Notes a peer's present address on the air; true if the address has changed.
    package mutating func heard(_ address: DeviceAddress, of identity: DeviceAddress) -> Bool {
        guard bonds[identity]?.identityKey != nil else { return false }
        return current.updateValue(address, forKey: identity) != address
    }

    /// The private address under which a bonded peer was heard last. A connection to the peer uses this address. Nil if
    /// the peer was not heard under a private address.
    package func currentAddress(of identity: DeviceAddress) -> DeviceAddress? { current[identity] }

    /// Some peer has given us its Identity Resolving Key, and expects a use for ours.
    package var hasIdentityKeys: Bool { !identityKeys.isEmpty }

    /// Peers that may use private addresses.
    package var resolvable: [ResolvingListMachine.Entry] {
        all.compactMap { bond in
            bond.identityKey.map { ResolvingListMachine.Entry(identity: bond.identity, key: $0) }
        }
    }

    /// The peer may be on the air under a private address that only its key resolves.
    package func mayBePrivate(_ identity: DeviceAddress) -> Bool {
        !identityKeys.isEmpty && bonds[identity]?.identityKey != nil
    }
}

extension BondChange {
    package var identity: DeviceAddress {
        switch self {
        case .stored(let bond): bond.identity
        case .removed(let identity): identity
        }
    }
}
