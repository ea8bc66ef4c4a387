// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

@testable import BluetoothHost
@testable import HostBench

/// Pairings that our host refuses. The peer gets the reason, and nothing else follows.
struct PairingRefusalTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The starter: 1, the Central, or 0. The other player refuses.
        var starter = 1
        let reason: PairingFailedReason
        /// The refuser begins before it finds the reason, and tells its own clients, too.
        var begins = false
        var settings: @Sendable (inout PairingSettings) -> Void = { _ in }
        let prepare: @Sendable (PairingScene) -> Void
    }

    private static let shortKeys: @Sendable (inout PairingSettings) -> Void = {
        ($0.minimumKeySize, $0.maximumKeySize) = (7, 7)
    }

    static let rows = [
        Row(testDescription: "the window is closed", reason: .pairingNotSupported) { _ in },
        Row(
            testDescription: "the window of a Central that is asked for security is closed", starter: 0,
            reason: .pairingNotSupported
        ) { $0.open(0) },
        Row(testDescription: "the window has closed by itself", reason: .pairingNotSupported) { scene in
            scene.duet.a.host.policy.acceptsPairing = .openUntil(scene.duet.now + .seconds(5))
            scene.run(for: .seconds(6))
        },
        Row(testDescription: "a policy of their own is closed to Centrals", reason: .pairingNotSupported) { scene in
            scene.open(0)
            scene.duet.a.host.peripheralPolicy = SecurityPolicy()
        },
        Row(testDescription: "the window is for sensors that ask", reason: .pairingNotSupported) { scene in
            scene.open(0)
            scene.duet.a.host.policy.admitsCentrals = false
        },
        Row(
            testDescription: "keys are shorter than the policy wants", reason: .encryptionKeySize, begins: true,
            settings: shortKeys
        ) { $0.open(0) },
        Row(
            testDescription: "the Central offers legacy pairing alone", reason: .authenticationRequirements,
            begins: true, settings: { ($0.offersSecureConnections, $0.allowsLegacy) = (false, true) }
        ) { $0.open(0) },
        Row(
            testDescription: "legacy pairing is for another peer", reason: .authenticationRequirements, begins: true,
            settings: { ($0.offersSecureConnections, $0.allowsLegacy) = (false, true) }
        ) { scene in
            scene.open(0)
            scene.duet.a.host.policy.legacyPeers = [Sample.identity(9)]
        },
        Row(testDescription: "there are no secrets", reason: .busy, begins: true) { scene in
            scene.open(0)
            scene.duet.providesSecrets = false
            while scene.duet.a.host.pairing.takeSecrets() != nil {}
        },
        Row(testDescription: "the table is full", reason: .unspecifiedReason) { scene in
            scene.open(0)
            let bonds = (0..<UInt64(BondTable.capacity)).compactMap { Sample.bond(0x100 + $0) }
            scene.duet.a.host.provide(bonds: bonds)
        },
    ]

    @Test(arguments: rows) func `the peer is told why, and nothing else comes of it`(row: Row) throws {
        let scene = try PairingScene()
        row.prepare(scene)
        let refuser = 1 - row.starter
        let bonds = scene.duet.players[refuser].host.bonds.all
        for attempt in 0..<3 {
            scene.forget()
            #expect(scene.pair(by: row.starter, row.settings) == .started)
            #expect(row.starter == 1 || scene.pair(by: row.starter) == .isPairing)
            #expect(scene.run { scene.failure(row.starter) == .refusedByPeer(row.reason) })
            #expect(scene.failure(refuser) == (row.begins ? .refused(row.reason) : nil))
            let (refusals, others) = scene.toldOfPairing(refuser)
            #expect(others.isEmpty == !row.begins)
            // Once a link, although the peer may ask again and again.
            #expect(refusals.map(\.reason) == (row.begins || attempt > 0 ? [] : [row.reason]))
        }
        #expect(scene.counters(refuser).pairingsFailed == (row.begins ? 3 : 0))
        #expect(scene.counters(refuser).pairingsStarted == (row.begins ? 3 : 0))
        #expect(scene.duet.players[refuser].host.bonds.all == bonds && scene.bond(row.starter) == nil)
        #expect(!scene.isDown(0) && !scene.isDown(1) && scene.security(0)?.isEncrypted == false)
        #expect(scene.duet.violations == [])
    }

    @Test func `a window is closed from its end on`() {
        let end = MonotonicTime.zero + .seconds(5)
        var policy = SecurityPolicy()
        policy.acceptsPairing = .openUntil(end)
        #expect(policy.acceptsPairing(at: .zero) && policy.acceptsPairing(at: end + .nanoseconds(-1)))
        #expect(!policy.acceptsPairing(at: end) && !policy.acceptsPairing(at: end + .seconds(1)))
    }

    // MARK: Pairings that are accepted

    @Test func `a window for sensors is open to a Peripheral that asks`() throws {
        let scene = try PairingScene()
        scene.open(1)
        scene.duet.b.host.policy.admitsCentrals = false
        #expect(scene.pair(by: 0) == .started && scene.finish())
    }

    @Test func `with new secrets there are new pairings`() throws {
        let scene = try PairingScene()
        scene.open(0)
        scene.duet.providesSecrets = false
        while scene.duet.a.host.pairing.takeSecrets() != nil {}
        #expect(scene.duet.a.host.wantsPairingSecrets)
        scene.duet.providesSecrets = true
        #expect(scene.pair(by: 1) == .started && scene.finish())
    }

    @Test func `short keys are made where both sides want them`() throws {
        let scene = try PairingScene()
        scene.duet.a.host.policy = SecurityPolicy(minimumKeySize: 7)
        scene.duet.b.host.policy = SecurityPolicy(minimumKeySize: 7)
        scene.open(0)
        scene.pair(by: 1, Self.shortKeys)
        #expect(scene.finish())
        #expect(scene.security(0)?.keySize == 7 && scene.bond(1)?.keySize == 7)
        #expect(scene.bond(0)?.keys == scene.bond(1)?.keys)
    }

    @Test func `where the table is full, nobody begins`() throws {
        let scene = try PairingScene { duet in
            duet.a.host.provide(bonds: (0..<UInt64(BondTable.capacity)).compactMap { Sample.bond(0x100 + $0) })
        }
        #expect(scene.pair(by: 0) == .noRoom)
    }
}
