// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Whole pairings of two hosts of ours, from the first PDU to the next link.
struct PairingModelTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let central: IOCapability
        let peripheral: IOCapability
        var protects = true
        let model: AssociationModel
        /// The questions to each side, without consent.
        var centralAsked: String = ""
        var peripheralAsked: String = ""
    }

    static let rows = [
        Row(
            testDescription: "just works", central: .noInputNoOutput, peripheral: .noInputNoOutput, protects: false,
            model: .justWorks),
        Row(
            testDescription: "the Central shows the passkey", central: .displayOnly, peripheral: .keyboardOnly,
            model: .passkeyEntry, centralAsked: "display", peripheralAsked: "enter"),
        Row(
            testDescription: "the Peripheral shows the passkey", central: .keyboardOnly, peripheral: .displayOnly,
            model: .passkeyEntry, centralAsked: "enter", peripheralAsked: "display"),
        Row(
            testDescription: "both enter the passkey", central: .keyboardOnly, peripheral: .keyboardOnly,
            model: .passkeyEntry, centralAsked: "enter", peripheralAsked: "enter"),
        Row(
            testDescription: "both compare", central: .displayYesNo, peripheral: .keyboardDisplay,
            model: .numericComparison, centralAsked: "compare", peripheralAsked: "compare"),
    ]

    private func words(_ questions: [PairingQuestion]) -> String {
        questions.compactMap { question in
            switch question {
            case .consent: nil
            case .display: "display"
            case .enterPasskey: "enter"
            case .compare: "compare"
            }
        }.joined(separator: " ")
    }

    /// `starter`: 0, the Peripheral, asks for security; 1, the Central, begins.
    @Test(arguments: rows, [0, 1])
    func `both sides have the same key, and know what it is worth`(row: Row, starter: Int) throws {
        let scene = try PairingScene()
        scene.duet.a.host.policy.ioCapability = row.peripheral
        scene.duet.b.host.policy.ioCapability = row.central
        scene.setPolicy { $0.requiresAuthentication = row.protects }
        scene.open(1 - starter)
        #expect(scene.pair(by: starter) == .started)
        #expect(scene.finish())
        #expect(words(scene.questions[0]) == row.peripheralAsked && words(scene.questions[1]) == row.centralAsked)
        #expect(scene.models.isSubset(of: [row.model]))

        let key = try #require(scene.bond(0)?.keys)
        #expect(scene.bond(1)?.keys == key && scene.bond(0)?.isSecureConnections == true)
        for player in 0...1 {
            let bond = try #require(scene.bond(player))
            #expect(bond.isAuthenticated == (row.model != .justWorks) && bond.keySize == 16 && !bond.isAuthorized)
            #expect(
                scene.security(player)
                    == LinkSecurity(
                        isEncrypted: true, isAuthenticated: row.model != .justWorks, isSecureConnections: true,
                        keySize: 16, hasBond: true))
            #expect(scene.duet.players[player].host.takeBondChanges() == [.stored(bond)])
            #expect(scene.pairingEvents(player).first == .began(isOurs: player == starter))
            #expect(scene.pairingEvents(player).last == .finished(bond))
            #expect(scene.counters(player).pairingsStarted == 1 && scene.counters(player).pairingsSucceeded == 1)
            #expect(scene.counters(player).pairingsFailed == 0)
        }

        // The next link is encrypted with this key, without a pairing.
        try scene.reconnect()
        #expect(scene.run { scene.security(0)?.isEncrypted == true && scene.security(1)?.isEncrypted == true })
        scene.run(for: .seconds(5))
        #expect(scene.counters(0).pairingsStarted == 1 && scene.counters(1).pairingsStarted == 1)
        #expect(scene.security(0)?.isAuthenticated == (row.model != .justWorks))
        #expect(scene.duet.violations == [])
    }

    @Test func `what was told by other means counts as authenticated`() throws {
        let scene = try PairingScene()
        let secrets = try #require(AirBench.freshSecrets())
        let local = LocalOutOfBandData(keyPair: secrets.keyPair, random: Array(secrets.octets.prefix(16)))
        let x = secrets.keyPair.publicKey.x
        let confirm = Cryptography.f4(u: x, v: x, x: local.random, z: 0)
        #expect(scene.pair(by: 0) { $0.localOutOfBand = local } == .started)
        #expect(
            scene.pair(by: 1) {
                $0.peerOutOfBand = OutOfBandData(confirm: confirm, random: local.random)
            } == .started)
        #expect(scene.finish())
        #expect(scene.bond(0)?.keys == scene.bond(1)?.keys)
        #expect(scene.bond(0)?.isAuthenticated == true && scene.bond(1)?.isAuthenticated == true)
        #expect(scene.duet.violations == [])
    }

    @Test func `a peer that is named pairs by legacy pairing`() throws {
        let scene = try PairingScene()
        scene.open(0)
        scene.duet.a.host.policy.legacyPeers = [scene.address(of: 1)]
        scene.pair(by: 1) {
            $0.offersSecureConnections = false
            $0.allowsLegacy = true
        }
        #expect(scene.finish())
        for player in 0...1 {
            #expect(scene.bond(player)?.isSecureConnections == false)
            #expect(scene.security(player)?.isEncrypted == true)
            #expect(scene.security(player)?.isSecureConnections == false)
        }
        try scene.reconnect()
        #expect(scene.run { scene.security(0)?.isEncrypted == true && scene.security(1)?.isEncrypted == true })
        #expect(scene.counters(0).pairingsStarted == 1)
        #expect(scene.duet.violations == [])
    }

    @Test func `a passkey that is known beforehand is asked of nobody`() throws {
        let scene = try PairingScene()
        // Neither side shows the passkey, which is on a label.
        scene.duet.a.host.policy.passkeys = [scene.address(of: 1): 123_456]
        scene.duet.b.host.policy.passkeys = [scene.address(of: 0): 123_456]
        scene.open(0)
        scene.pair(by: 1)
        #expect(scene.finish())
        #expect(scene.questions == [[], []])
        #expect(scene.bond(0)?.isAuthenticated == true && scene.bond(1)?.isAuthenticated == true)
    }

    @Test func `keys that nobody keeps protect the link, and end with it`() throws {
        let scene = try PairingScene()
        scene.open(0)
        scene.pair(by: 1) { $0.isBonding = false }
        let security = LinkSecurity(isEncrypted: true, isSecureConnections: true, keySize: 16)
        #expect(
            scene.run { scene.pairingEvents(0).contains(.finishedUnbonded(security)) && scene.security(1) == security })
        #expect(scene.bond(0) == nil && scene.bond(1) == nil)
        #expect(scene.security(0) == security)
        #expect(scene.duet.players[0].host.takeBondChanges().isEmpty)
        try scene.reconnect()
        scene.run(for: .seconds(5))
        #expect(scene.security(0)?.isEncrypted == false && scene.security(1)?.isEncrypted == false)
    }

    @Test func `a Central that changes its addresses is known by the identity that it has given`() throws {
        let key = Sample.key(0x42)
        let scene = try PairingScene { duet in
            duet.players[1].host.setPrivacy(.resolvable, identityKey: key, at: duet.now)
            duet.players[1].host.provide(randomness: (1...64).map { UInt8($0) &* 7 }, at: duet.now)
            duet.run(for: .seconds(1))
        }
        let peers = scene.duet.a.events.compactMap { event in
            if case .linkUp(_, let peer, _) = event { peer } else { nil }
        }
        #expect(peers.first?.isResolvablePrivate == true)
        scene.open(0)
        scene.pair(by: 1)
        #expect(scene.finish())
        #expect(scene.bond(0)?.identityKey == key)
        #expect(scene.security(0)?.hasBond == true)
        try scene.reconnect()
        #expect(scene.run { scene.security(0)?.isEncrypted == true })
        let later = scene.duet.a.events.compactMap { event in
            if case .linkUp(_, let peer, _) = event { peer } else { nil }
        }
        #expect(later == [scene.address(of: 1)])
        #expect(scene.counters(0).pairingsStarted == 1)
        #expect(scene.duet.violations == [])
    }
}
