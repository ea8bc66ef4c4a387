// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// A bond that has to be written down, or to be forgotten.
package enum BondChange: Equatable, Sendable {
    case stored(Bond)
    case removed(DeviceAddress)
}

/// The bonds of one host: found by identity, or by an address that only the peer's key explains.
package struct BondTable: Sendable {
    /// Bonds that are kept: as many as a gateway has sensors, and each costs one AES a private address that is new.
    package static let capacity = 256
    /// Private addresses whose resolution is remembered, the fruitless ones included: most of them are of phones that
    /// pass by.
    package static let cacheCapacity = 1024

    private var bonds: [DeviceAddress: Bond] = [:]
    private var identityKeys: [(identity: DeviceAddress, key: SecretKey)] = []
    /// Moves on whenever the peers' Identity Resolving Keys change; 0: there were none yet.
    package private(set) var keyRevision: UInt64 = 0
    /// What a private address was found to be; nil inside: nobody we know.
    private var resolved: [DeviceAddress: DeviceAddress?] = [:]
    /// The private address under which each peer was heard last.
    private var current: [DeviceAddress: DeviceAddress] = [:]
    private var changes: [BondChange] = []

    package init() {}

    package var count: Int { bonds.count }
    package var all: [Bond] { bonds.values.sorted { $0.identity.compact < $1.identity.compact } }

    /// Centrals that nobody has made sure of leave half of the room to others: there may be any number of them.
    var hasRoomForStrangers: Bool {
        bonds.values.count { $0.isOfCentral && !$0.isAuthenticated } < Self.capacity / 2
    }

    package func bond(for identity: DeviceAddress) -> Bond? { bonds[identity] }

    func contains(_ identity: DeviceAddress) -> Bool { bonds.index(forKey: identity) != nil }

    /// Takes bonds that are on disk already. Those beyond the capacity are left out; true when all were taken.
    @discardableResult
    package mutating func provide(_ stored: [Bond]) -> Bool {
        var tookAll = true
        for bond in stored where !put(bond) { tookAll = false }
        return tookAll
    }

    /// Adds or replaces a bond that was made or changed now; false when there is no room.
    package mutating func store(_ bond: Bond) -> Bool {
        guard bonds[bond.identity] != bond else { return true }
        guard put(bond) else { return false }
        note(.stored(bond))
        return true
    }

    package mutating func remove(_ identity: DeviceAddress) {
        guard let bond = bonds.removeValue(forKey: identity) else { return }
        if bond.identityKey != nil { forgetResolutions() }
        current.removeValue(forKey: identity)
        note(.removed(identity))
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

    /// Bounded by the table: of several changes to one peer, the last counts.
    private mutating func note(_ change: BondChange) {
        changes.removeAll { $0.identity == change.identity }
        changes.append(change)
    }

    /// What has to be written down since the last call, in order.
    package mutating func takeChanges() -> [BondChange] {
        defer { changes = [] }
        return changes
    }

    // MARK: Private addresses

    /// The identity address behind `address`; `address` itself when it is no private address of anybody we know.
    package mutating func identity(of address: DeviceAddress) -> DeviceAddress {
        guard !identityKeys.isEmpty, address.isResolvablePrivate else { return address }
        if let known = resolved[address] { return known ?? address }
        if resolved.count >= Self.cacheCapacity { resolved.removeAll(keepingCapacity: true) }
        let identity = identityKeys.first { address.isResolved(by: $0.key) }?.identity
        resolved[address] = .some(identity)
        return identity ?? address
    }

    /// Notes under which address a peer is on the air now; true when it has changed.
    package mutating func heard(_ address: DeviceAddress, of identity: DeviceAddress) -> Bool {
        guard bonds[identity]?.identityKey != nil else { return false }
        return current.updateValue(address, forKey: identity) != address
    }

    /// The address under which a bonded peer was heard last, which is where it can be connected to; nil when it was
    /// not heard under a private address.
    package func currentAddress(of identity: DeviceAddress) -> DeviceAddress? { current[identity] }

    /// Some peer has given us its Identity Resolving Key: it expects ours to be of use.
    package var hasIdentityKeys: Bool { !identityKeys.isEmpty }

    /// Peers that may use private addresses.
    package var resolvable: [ResolvingListMachine.Entry] {
        all.compactMap { bond in
            bond.identityKey.map { ResolvingListMachine.Entry(identity: bond.identity, key: $0) }
        }
    }

    /// The peer may be on the air under an address that only its key explains.
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
