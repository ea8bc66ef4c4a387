// SPDX-License-Identifier: Apache-2.0

import SMP
import ATT
import BluetoothCore
import GATT
import HCI
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Links to bonded peers, in virtual time.
struct SecurityEncryptionTests {
    private let simulation = Simulation()
    private let peer: SecurityPeer
    private static let key = Sample.key(0xAB)
    private static let read = GATTRequestID(client: Simulation.client, number: 1)

    init() {
        peer = SecurityPeer(simulation.air, number: 1, at: simulation.now)
        peer.key = { _, _ in Self.key }
    }

    @discardableResult
    private func run(for limit: Duration = .seconds(10), until condition: () -> Bool = { false }) -> Bool {
        simulation.run(for: limit) {
            peer.turn(at: simulation.now)
            return condition()
        }
    }

    private func connect() throws -> LinkID {
        simulation.host.connect(Sample.identity(1), for: Simulation.client, at: simulation.now)
        #expect(run { simulation.connections == 1 })
        return try #require(simulation.lastLink)
    }

    private func provide(_ bond: Bond?) throws { simulation.host.provide(bonds: [try #require(bond)]) }

    private func request(_ request: GATTRequest, on link: LinkID) {
        simulation.host.request(request, id: Self.read, on: link, at: simulation.now)
    }

    private var answer: Result<GATTResponse, GATTError>? {
        simulation.events.lazy.compactMap { event in
            if case .completed(Self.read, let result) = event { result } else { nil }
        }.first
    }

    private var failures: [HCIStatus] {
        simulation.events.compactMap { if case .encryptionFailed(_, let status) = $0 { status } else { nil } }
    }

    private var changes: [LinkSecurity] {
        simulation.events.compactMap { if case .encryptionChanged(_, let security) = $0 { security } else { nil } }
    }

    // MARK: As the Central

    @Test func `a link to a bonded peer is encrypted before anything is said on it`() throws {
        try provide(Sample.bond(1, isAuthenticated: true))
        let link = try connect()
        request(.read(handle: 9), on: link)
        #expect(run { answer != nil })
        #expect(answer == .success(.value([0x2A])))
        #expect(peer.requests.count == 1 && peer.requests[0] == (0, 0))
        #expect(peer.received.count == 2 && peer.received.allSatisfy(\.isEncrypted))
        #expect(simulation.air.dataTally(of: simulation.controller) == DataTally(plain: 0, encrypted: 2))
        let security = LinkSecurity(
            isEncrypted: true, isAuthenticated: true, isSecureConnections: true, keySize: 16, hasBond: true)
        #expect(changes == [security])
        #expect(simulation.host.security(of: link) == security)
        #expect(simulation.host.encrypt(link, at: simulation.now) == .isEncrypted)
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    @Test func `write commands wait for encryption, and are counted as sent after it`() throws {
        try provide(Sample.bond(1))
        let link = try connect()
        for number in 0..<5 as Range<UInt8> {
            simulation.host.writeCommand(
                [number], to: 5, on: link, for: Simulation.client, at: simulation.now)
        }
        #expect(simulation.count { if case .writeCommandSent = $0 { true } else { false } } == 0)
        run()
        #expect(simulation.count { if case .writeCommandSent = $0 { true } else { false } } == 5)
        let written = peer.received.filter { $0.pdu[0] == 0x52 }
        #expect(written.map { $0.pdu.last } == [0, 1, 2, 3, 4] && written.allSatisfy(\.isEncrypted))
    }

    @Test func `a legacy key is asked for by its numbers`() throws {
        let keys = LongTermKeys.legacy(
            peerDistributed: LegacyKey(key: Self.key, ediv: 0x1234, rand: 0x1122_3344_5566_7788),
            localDistributed: LegacyKey(key: Sample.key(1), ediv: 1, rand: 1))
        try provide(Sample.bond(1, keys: keys))
        let link = try connect()
        #expect(run { !changes.isEmpty })
        #expect(peer.requests.count == 1 && peer.requests[0] == (0x1234, 0x1122_3344_5566_7788))
        #expect(simulation.host.security(of: link)?.isSecureConnections == false)
    }

    // GAP/SEC/AUT/BV-13-C
    @Test(arguments: [0x05, 0x0F] as [UInt8])
    func `a request that wants encryption is repeated once under it`(code: UInt8) throws {
        simulation.host.policy.encryptsAtConnection = false
        peer.refusal = code
        try provide(Sample.bond(1))
        let link = try connect()
        request(.read(handle: 9), on: link)
        #expect(run { answer != nil })
        #expect(answer == .success(.value([0x2A])))
        #expect(peer.received.filter { $0.pdu[0] == 0x0A }.map(\.isEncrypted) == [false, true])
    }

    @Test func `a request that is refused under encryption too is not repeated again`() throws {
        simulation.host.policy.encryptsAtConnection = false
        try provide(Sample.bond(1))
        let link = try connect()
        request(.read(handle: 9), on: link)
        #expect(run { peer.requests.count == 1 })
        // The server's answer on an encrypted link with too weak a key.
        let before = peer.received.count
        simulation.give(attribute: [0x01, 0x0A, 9, 0, 0x05], from: peer)
        run()
        #expect(answer != nil)
        #expect(peer.received.count <= before + 1)
    }

    @Test func `without a bond the refusal is the client's`() throws {
        let link = try connect()
        request(.read(handle: 9), on: link)
        #expect(run { answer != nil })
        #expect(answer == .failure(.refused(.insufficientAuthentication)))
        #expect(simulation.host.encrypt(link, at: simulation.now) == .noKey)
        #expect(simulation.host.security(of: link) == LinkSecurity())
        #expect(peer.requests.isEmpty && simulation.host.hasLinks)
    }

    @Test func `a lost bond ends the link, tells why, and is kept here`() throws {
        let bond = try #require(Sample.bond(1))
        try provide(bond)
        peer.key = { _, _ in nil }
        let link = try connect()
        request(.read(handle: 9), on: link)
        #expect(run { !simulation.disconnections.isEmpty })
        #expect(failures == [.pinOrKeyMissing])
        #expect(simulation.disconnections == [.pinOrKeyMissing])
        #expect(answer == .failure(.notSent))
        #expect(simulation.host.bond(for: bond.identity) == bond)
        #expect(simulation.host.takeBondChanges() == [])
        #expect(peer.received.isEmpty, "nothing is said in the plain instead")
        #expect(simulation.host.counters.encryptionFailures == 1)
        #expect(simulation.violations == [])
    }

    @Test func `a bond that turns out lost after a refusal gives the client the refusal`() throws {
        simulation.host.policy.encryptsAtConnection = false
        try provide(Sample.bond(1))
        peer.key = { _, _ in nil }
        let link = try connect()
        request(.read(handle: 9), on: link)
        #expect(run { !simulation.disconnections.isEmpty })
        #expect(answer == .failure(.refused(.insufficientAuthentication)))
        #expect(failures == [.pinOrKeyMissing] && simulation.disconnections == [.pinOrKeyMissing])
    }

    @Test func `another key on the other side ends the link with a MIC failure`() throws {
        try provide(Sample.bond(1))
        peer.key = { _, _ in Sample.key(1) }
        _ = try connect()
        #expect(run { !simulation.disconnections.isEmpty })
        #expect(failures == [.micFailure] && simulation.disconnections == [.micFailure])
    }

    @Test func `a peer that never gives its key loses the link before a request can time out`() throws {
        try provide(Sample.bond(1))
        peer.isMute = true
        let link = try connect()
        request(.read(handle: 9), on: link)
        #expect(run(for: .seconds(60)) { !simulation.disconnections.isEmpty })
        #expect(failures == [.llResponseTimeout] && simulation.disconnections == [.llResponseTimeout])
        #expect(answer == .failure(.notSent))
    }

    @Test func `a link that a client lets go of meanwhile ends without complaint`() throws {
        try provide(Sample.bond(1))
        peer.isMute = true
        _ = try connect()
        simulation.host.disconnect(Sample.identity(1), for: Simulation.client, at: simulation.now)
        #expect(run { !simulation.disconnections.isEmpty })
        #expect(failures.isEmpty && simulation.disconnections == [.localHostTerminated])
    }

    @Test func `the key of an encrypted link can be changed`() throws {
        try provide(Sample.bond(1))
        let link = try connect()
        #expect(run { changes.count == 1 })
        peer.key = { _, _ in Sample.key(0xCD) }
        let better = try #require(
            Sample.bond(1, keys: .secureConnections(Sample.key(0xCD)), isAuthenticated: true))
        #expect(simulation.host.store(better) == true)
        #expect(simulation.host.encrypt(link, refreshing: true, at: simulation.now) == .started)
        #expect(simulation.host.encrypt(link, refreshing: true, at: simulation.now) == .isStarting)
        #expect(run { changes.count == 2 })
        #expect(peer.keyRefreshes == 1)
        #expect(simulation.host.security(of: link)?.isAuthenticated == true)
    }

    // MARK: Key size: GAP/SEC/SEM/BI-09-C and the tests after it

    @Test(arguments: 7...16 as ClosedRange<UInt8>)
    func `a key that is too short is not used, and the link ends instead`(minimum: UInt8) throws {
        simulation.host.policy = SecurityPolicy(minimumKeySize: minimum)
        try provide(Sample.bond(1, keySize: max(7, minimum - 1)))
        let link = try connect()
        request(.read(handle: 9), on: link)
        guard minimum > 7 else {
            #expect(run { answer == .success(.value([0x2A])) })
            #expect(simulation.host.security(of: link)?.isEncrypted == true)
            return
        }
        try endsUnused()
    }

    @Test func `a bond with a key for the other role alone ends the link`() throws {
        let ours = LegacyKey(key: Self.key, ediv: 1, rand: 1)
        try provide(Sample.bond(1, keys: .legacy(peerDistributed: nil, localDistributed: ours)))
        request(.read(handle: 9), on: try connect())
        try endsUnused()
    }

    /// A plain answer of another device is not believed, and nothing is sent to the peer.
    private func endsUnused() throws {
        peer.sendATT([0x0B, 0x66], at: simulation.now)
        #expect(run { !simulation.disconnections.isEmpty })
        #expect(failures == [.insufficientSecurity] && simulation.disconnections == [.insufficientSecurity])
        #expect(answer == .failure(.notSent))
        #expect(peer.requests.isEmpty && peer.received.isEmpty)
        #expect(simulation.air.dataTally(of: simulation.controller).plain == 0)
        #expect(simulation.host.bond(for: Sample.identity(1)) != nil && simulation.host.takeBondChanges() == [])
        #expect(simulation.host.counters.encryptionFailures == 1)
    }

    @Test func `a key that is too short is not used on a link that was to stay plain`() throws {
        simulation.host.policy = SecurityPolicy(minimumKeySize: 16, encryptsAtConnection: false)
        try provide(Sample.bond(1, keySize: 15))
        let link = try connect()
        #expect(simulation.host.encrypt(link, at: simulation.now) == .keyTooShort)
        #expect(simulation.host.security(of: link) == LinkSecurity())
        #expect(peer.requests.isEmpty)
    }

    // MARK: Values: GAP/SEC/SEM/BV-56-C and the tests after it

    @Test(arguments: [0x1B, 0x1D] as [UInt8])
    func `values of a bonded peer are dropped and counted until the link is encrypted`(opcode: UInt8) throws {
        simulation.host.policy.encryptsAtConnection = false
        try provide(Sample.bond(1))
        let link = try connect()
        run(for: .seconds(1))
        peer.sendATT([opcode, 9, 0, 1], at: simulation.now)
        run(for: .seconds(1))
        #expect(simulation.values.isEmpty && simulation.host.counters.valuesBlocked == 1)
        let isConfirmed = peer.received.contains { $0.pdu == [0x1E] }
        #expect(isConfirmed == (opcode == 0x1D), "the peer is to go on")
        peer.sendATT([0x23, 9, 0, 1, 0, 1], at: simulation.now)
        run(for: .seconds(1))
        #expect(simulation.values.isEmpty && simulation.host.counters.valuesBlocked == 2)
        #expect(simulation.host.encrypt(link, at: simulation.now) == .started)
        #expect(run { changes.count == 1 })
        peer.sendATT([opcode, 9, 0, 2], at: simulation.now)
        #expect(run { simulation.values.count == 1 })
        #expect(simulation.values.map(\.octets) == [[2]] && simulation.host.counters.valuesBlocked == 2)
    }

    @Test func `values of a peer without a bond come as ever`() throws {
        _ = try connect()
        run(for: .seconds(1))
        peer.sendATT([0x1B, 9, 0, 1], at: simulation.now)
        #expect(run { simulation.values.count == 1 })
        #expect(simulation.host.counters.valuesBlocked == 0)
    }

    // MARK: Faults

    @Test func `a new start forgets what was under way`() throws {
        try provide(Sample.bond(1))
        peer.isMute = true
        let link = try connect()
        request(.read(handle: 9), on: link)
        simulation.air.simulateHardwareError(simulation.controller)
        #expect(run(for: .seconds(1)) { !simulation.disconnections.isEmpty })
        #expect(answer == .failure(.notSent) && failures == [.hardwareFailure])
        simulation.host.start(at: simulation.now)
        #expect(run { simulation.host.state == .ready })
        #expect(simulation.host.encrypt(link, at: simulation.now) == .noLink)
        #expect(simulation.host.bond(for: Sample.identity(1)) != nil)
    }
}

extension Simulation {
    /// Hands an attribute PDU to the host, as if from the peer.
    fileprivate func give(attribute pdu: [UInt8], from peer: SecurityPeer) { peer.sendATT(pdu, at: now) }
}
