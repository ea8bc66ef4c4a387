// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Which clients want connections to peers that are not connected, and by which names they know these peers.
///
/// A wish is there as long as a client has it. The last client that lets go of a peer takes the count of its failures along.
struct ConnectionWishes: Sendable {
    /// Connections in a row that fail to be established before the client is told. The air is like that; most succeed
    /// at the second try.
    static let failureLimit = 9
    /// What a controller says that holds as many links as it can.
    private static let linkLimits: Set<HCIStatus> = [.connectionLimitExceeded, .connectionRejectedLimitedResources]
    /// Peers whose former addresses are remembered, for clients that have not heard of it yet.
    static let renamedLimit = 32

    private var clients: [DeviceAddress: ClientSet] = [:]
    /// Consecutive connections to a peer that failed to be established.
    private var failures: [DeviceAddress: Int] = [:]
    /// Peers whose identities came out on a link, with the addresses that clients may still know them by; newest last.
    private(set) var renamed: [(old: DeviceAddress, identity: DeviceAddress)] = []
    private var hasNewTarget = false

    /// Peers that somebody wants a connection to.
    var peers: some Collection<DeviceAddress> { clients.keys }

    func isWanted(_ peer: DeviceAddress) -> Bool { clients[peer] != nil }

    /// Peers that this client wants a connection to, in no order.
    func peers(of member: ClientSet) -> [DeviceAddress] {
        clients.compactMap { $0.value.contains(member) ? $0.key : nil }
    }

    mutating func add(_ member: ClientSet, for peer: DeviceAddress) { clients[peer, default: []].insert(member) }

    /// What is left of a wish after a client has let go of it.
    enum Remainder {
        /// The client had no such wish.
        case none
        /// Other clients still have it.
        case wanted
        case unwanted
    }

    mutating func remove(_ member: ClientSet, for peer: DeviceAddress) -> Remainder {
        guard clients[peer]?.remove(member) != nil else { return .none }
        guard clients[peer]?.isEmpty == true else { return .wanted }
        clients.removeValue(forKey: peer)
        failures.removeValue(forKey: peer)
        return .unwanted
    }

    /// The peer has a link. Returns the clients that wanted it, which have it now; nil: nobody did.
    mutating func take(_ peer: DeviceAddress) -> ClientSet? { clients.removeValue(forKey: peer) }

    /// Nothing is wanted any more.
    mutating func drop() { clients = [:] }

    /// The controller is given up. Returns what was wanted of it.
    mutating func giveUp() -> [DeviceAddress: ClientSet] {
        defer { (clients, failures) = ([:], [:]) }
        return clients
    }

    // MARK: Failures

    mutating func connected(_ peer: DeviceAddress) { failures.removeValue(forKey: peer) }

    /// An attempt failed. Returns the clients to tell when no further attempt follows; nil: another one follows.
    mutating func failed(_ peer: DeviceAddress, _ status: HCIStatus) -> ClientSet? {
        // Unknown connection identifier is the end of a cancelled attempt.
        guard status != .unknownConnectionIdentifier, clients[peer] != nil else { return nil }
        let count = (failures[peer] ?? 0) + 1
        guard Self.isLimit(status) || count >= Self.failureLimit else {
            failures[peer] = count
            return nil
        }
        failures.removeValue(forKey: peer)
        return clients.removeValue(forKey: peer)
    }

    /// The controller has no room for another link, so nobody gets one.
    static func isLimit(_ status: HCIStatus) -> Bool { linkLimits.contains(status) }

    // MARK: Targets

    /// A report told where a peer that is wanted can be reached now.
    mutating func noteNewTarget() { hasNewTarget = true }

    /// ``noteNewTarget()`` was called since the last call.
    mutating func takeNewTarget() -> Bool {
        guard hasNewTarget else { return false }
        hasNewTarget = false
        return true
    }

    // MARK: Names

    /// The address that a peer is known by now, which clients may not have heard yet.
    func currentName(of peer: DeviceAddress) -> DeviceAddress { renamed.last { $0.old == peer }?.identity ?? peer }

    /// The peer that was known by `old` has told who it is, and is wanted by that name.
    mutating func rename(_ old: DeviceAddress, to identity: DeviceAddress) {
        failures.removeValue(forKey: old)
        if let clients = clients.removeValue(forKey: old) { self.clients[identity, default: []].formUnion(clients) }
        renamed.removeAll { $0.old == old }
        renamed.append((old, identity))
        if renamed.count > Self.renamedLimit { renamed.removeFirst() }
    }

    /// The bond is gone, and with it the proof that the peer had other addresses.
    mutating func forgetNames(of identity: DeviceAddress) { renamed.removeAll { $0.identity == identity } }

    mutating func forgetNames() { renamed = [] }
}
