// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Clients' wishes for connections to peers without a connection, and the addresses by which clients know these peers.
///
/// A wish lasts as long as a client has it. When the last client lets go of a peer, the count of the peer's failures is
/// removed.
struct ConnectionWishes: Sendable {
    /// After this many failed connections in a row, the client is told. Failures are common on the air; most
    /// connections succeed at the second try.
    static let failureLimit = 9
    /// Statuses from a controller without room for another link.
    private static let linkLimits: Set<HCIStatus> = [.connectionLimitExceeded, .connectionRejectedLimitedResources]
    /// Former addresses that are remembered, for clients that have not heard of the identity yet.
    static let renamedLimit = 32

    private var clients: [DeviceAddress: ClientSet] = [:]
    /// Consecutive failed connections to a peer.
    private var failures: [DeviceAddress: Int] = [:]
    /// Peers whose identities came out on a link, with their former addresses, which clients may still use; newest
    /// last.
    private(set) var renamed: [(old: DeviceAddress, identity: DeviceAddress)] = []
    private var hasNewTarget = false

    /// Peers to which some client wants a connection.
    var peers: some Collection<DeviceAddress> { clients.keys }

    func isWanted(_ peer: DeviceAddress) -> Bool { clients[peer] != nil }

    /// Peers to which this client wants a connection, in no order.
    func peers(of member: ClientSet) -> [DeviceAddress] {
        clients.compactMap { $0.value.contains(member) ? $0.key : nil }
    }

    mutating func add(_ member: ClientSet, for peer: DeviceAddress) { clients[peer, default: []].insert(member) }

    /// The state of a wish after a client has let go of it.
    enum Remainder {
        /// The client had no wish for this peer.
        case none
        /// Other clients still want the peer.
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

    /// The peer has a link. Returns the clients that wanted the link and have it now; nil: no client did.
    mutating func take(_ peer: DeviceAddress) -> ClientSet? { clients.removeValue(forKey: peer) }

    /// Nothing is wanted any more.
    mutating func drop() { clients = [:] }

    /// The controller is given up. Returns the open wishes.
    mutating func giveUp() -> [DeviceAddress: ClientSet] {
        defer { (clients, failures) = ([:], [:]) }
        return clients
    }

    // MARK: Failures

    mutating func connected(_ peer: DeviceAddress) { failures.removeValue(forKey: peer) }

    /// An attempt failed. Returns the clients to tell if no further attempt follows; nil: a further attempt follows.
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

    /// The controller has no room for another link.
    static func isLimit(_ status: HCIStatus) -> Bool { linkLimits.contains(status) }

    // MARK: Targets

    /// A report has shown the address at which a wanted peer can be reached now.
    mutating func recordNewTarget() { hasNewTarget = true }

    /// ``recordNewTarget()`` was called since the last call.
    mutating func takeNewTarget() -> Bool {
        guard hasNewTarget else { return false }
        hasNewTarget = false
        return true
    }

    // MARK: Names

    /// The present address of a peer. Clients may know only its former address.
    func currentName(of peer: DeviceAddress) -> DeviceAddress { renamed.last { $0.old == peer }?.identity ?? peer }

    /// The peer known by `old` has revealed its identity. Wishes for it move to the identity address.
    mutating func rename(_ old: DeviceAddress, to identity: DeviceAddress) {
        failures.removeValue(forKey: old)
        if let clients = clients.removeValue(forKey: old) { self.clients[identity, default: []].formUnion(clients) }
        renamed.removeAll { $0.old == old }
        renamed.append((old, identity))
        if renamed.count > Self.renamedLimit { renamed.removeFirst() }
    }

    /// The bond is gone. With the bond goes the proof of the peer's former addresses.
    mutating func forgetNames(of identity: DeviceAddress) { renamed.removeAll { $0.identity == identity } }

    mutating func forgetNames() { renamed = [] }
}
