// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Limits of pairings, and reasons for their end.
struct PairingRuleTests {
    private static let pairingRequest: [UInt8] = [0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00]

    // MARK: The window

    @Test func `a window that closes ends no pairing that runs`() throws {
        let scene = try PairingScene()
        scene.open(0)
        scene.duet.a.host.policy.hasAgent = true
        scene.consent = nil
        scene.pair(by: 1)
        #expect(scene.run { scene.questions[0] == [.consent] })
        #expect(scene.questions[1].isEmpty, "whoever begins has agreed")
        scene.duet.a.host.policy.acceptsPairing = .closed
        scene.answer(.yes, on: scene.links.a, 0)
        #expect(scene.finish())
    }

    @Test func `an agent that says no is believed, and a bond that was there stays`() throws {
        let scene = try PairingScene()
        scene.open(0)
        #expect(scene.pair(by: 1) == .started && scene.finish())
        let bond = scene.bond(0)
        scene.forget()
        scene.setPolicy {
            $0.replacement = .unlessWeaker
            $0.hasAgent = true
        }
        scene.consent = .no
        #expect(scene.pair(by: 1) == .started)
        #expect(scene.run { scene.failure(1) != nil })
        #expect(scene.failure(0) == .refused(.pairingNotSupported))
        #expect(scene.bond(0) == bond && scene.bond(1)?.keys == bond?.keys)
        #expect(!scene.isDown(0) && scene.security(0)?.isEncrypted == true)
    }

    @Test func `a question that nobody answers ends the pairing after half a minute, and all others on this link`()
        throws
    {
        let scene = try PairingScene()
        scene.open(0)
        scene.duet.a.host.policy.hasAgent = true
        scene.consent = nil
        scene.pair(by: 1)
        #expect(scene.run(for: .seconds(35)) { scene.failure(0) == .timedOut && scene.failure(1) == .timedOut })
        #expect(!scene.isDown(0) && !scene.isDown(1))
        #expect(scene.pair(by: 1) == .noLink && scene.pair(by: 0) == .noLink)
        let ignored = scene.counters(0).pairingPDUsIgnored
        scene.inject(Self.pairingRequest, to: 0)
        #expect(scene.counters(0).pairingPDUsIgnored == ignored + 1)
        scene.answer(.yes, on: scene.links.a, 0)
        scene.run(for: .seconds(1))
        #expect(scene.bond(0) == nil && scene.counters(0).pairingsStarted == 1)
        // Another link is another matter.
        try scene.reconnect()
        scene.consent = .yes
        #expect(scene.pair(by: 1) == .started && scene.finish())
    }

    @Test(arguments: [0, 1])
    func `a pairing that is cancelled fails on both sides`(player: Int) throws {
        let scene = try PairingScene()
        scene.setPolicy { ($0.ioCapability, $0.requiresAuthentication) = (.displayYesNo, true) }
        scene.comparison = nil
        scene.open(0)
        scene.pair(by: 1)
        #expect(scene.run { scene.questions.allSatisfy { !$0.isEmpty } })
        scene.duet.players[player].host.cancelPairing(on: scene.link(player), at: scene.duet.now)
        #expect(scene.run { scene.failure(0) != nil && scene.failure(1) != nil })
        #expect(scene.failure(player) == .refused(.unspecifiedReason))
        #expect(scene.failure(1 - player) == .refusedByPeer(.unspecifiedReason))
        #expect(!scene.isDown(0) && scene.bond(0) == nil && scene.bond(1) == nil)
        #expect(scene.counters(0).pairingsFailed == 1 && scene.counters(1).pairingsFailed == 1)
    }

    @Test func `a link that ends ends its pairing`() throws {
        let scene = try PairingScene()
        scene.setPolicy { ($0.ioCapability, $0.requiresAuthentication) = (.displayYesNo, true) }
        scene.comparison = nil
        scene.open(0)
        scene.pair(by: 1)
        #expect(scene.run { scene.questions.allSatisfy { !$0.isEmpty } })
        scene.duet.players[1].host.disconnect(scene.address(of: 0), for: Duet.client, at: scene.duet.now)
        #expect(scene.run { scene.failure(0) == .disconnected && scene.failure(1) == .disconnected })
        #expect(scene.counters(0).pairingsFailed == 1)
    }

    // MARK: Roles

    @Test func `PDUs of the wrong role are refused`() throws {
        let scene = try PairingScene()
        scene.setPolicy { $0.acceptsPairing = .open }
        scene.inject(Self.pairingRequest, to: 1)
        scene.inject([0x0B, 0x09], to: 0)
        #expect(scene.counters(0).pairingsStarted == 0 && scene.counters(1).pairingsStarted == 0)
        scene.run(for: .seconds(1))
        #expect(scene.sentPairingPDUs(1) == [[0x05, 0x07]])
        #expect(scene.sentPairingPDUs(0) == [[0x05, 0x07]])
    }

    @Test func `what no pairing waits for is ignored, however much it is`() throws {
        let scene = try PairingScene()
        scene.setPolicy { $0.acceptsPairing = .open }
        let opcodes = (0...255).filter { $0 != 0x01 && $0 != 0x0B }
        for opcode in opcodes {
            for length in [0, 1, 6, 16, 64, 200] {
                scene.inject([UInt8(opcode)] + [UInt8](repeating: 3, count: length), to: 0)
            }
        }
        scene.inject([], to: 0)
        #expect(scene.counters(0).pairingPDUsIgnored == UInt64(opcodes.count * 6 + 1))
        #expect(scene.duet.players[0].host.hasOutbound == false)
        #expect(scene.pair(by: 1) == .started && scene.finish())
    }

    @Test(arguments: [[0x01], [0x01, 3, 0, 1, 16, 0], [0x01, 3, 0, 1, 16, 0, 0, 0]] as [[UInt8]])
    func `a Pairing Request of the wrong length begins nothing`(pdu: [UInt8]) throws {
        let scene = try PairingScene()
        scene.open(0)
        scene.inject(pdu, to: 0)
        scene.run(for: .seconds(1))
        #expect(scene.sentPairingPDUs(0) == [[0x05, 0x0A]])
        #expect(scene.counters(0).pairingsStarted == 0)
    }

    // MARK: Keys

    /// Encryption in the middle of a pairing, by the key to be replaced.
    @Test func `a Central that encrypts before the pairing has a key gets none, nor that of its bond`() throws {
        let scene = try PairingScene()
        scene.setPolicy {
            ($0.ioCapability, $0.requiresAuthentication) = (.displayYesNo, true)
            $0.replacement = .unlessWeaker
        }
        scene.open(0)
        #expect(scene.pair(by: 1) == .started && scene.finish())
        scene.setPolicy { $0.encryptsAtConnection = false }
        try scene.reconnect()
        let bond = scene.bond(0)
        scene.comparison = nil
        scene.pair(by: 1)
        #expect(scene.run { scene.questions[0].last.map { if case .compare = $0 { true } else { false } } ?? false })
        scene.injectKeyRequest(to: 0)
        #expect(scene.run { scene.failure(0) != nil })
        #expect(scene.failure(0) == .refused(.unspecifiedReason))
        #expect(scene.duet.commands(.leLongTermKeyRequestReply, of: 0).isEmpty)
        #expect(scene.duet.commands(.leLongTermKeyRequestNegativeReply, of: 0).count == 1)
        #expect(scene.security(0)?.isEncrypted == false && scene.bond(0) == bond)
    }

    // MARK: Existing bonds

    @Test func `a bond is replaced only where the policy lets it be`() throws {
        let scene = try PairingScene()
        scene.open(0)
        #expect(scene.pair(by: 1) == .started && scene.finish())
        let bond = try #require(scene.bond(0))
        #expect(scene.pair(by: 1) == .isBonded && scene.pair(by: 0) == .isBonded)

        // The Central has lost its own, and pairs anew.
        scene.duet.b.host.removeBond(with: scene.address(of: 0))
        try scene.reconnect()
        #expect(scene.pair(by: 1) == .started)
        #expect(scene.run { scene.failure(1) == .refusedByPeer(.pairingNotSupported) })
        #expect(scene.bond(0) == bond)

        scene.forget()
        scene.setPolicy { $0.replacement = .unlessWeaker }
        #expect(scene.pair(by: 1) == .started && scene.finish())
        #expect(scene.bond(0)?.keys != bond.keys && scene.bond(0)?.keys == scene.bond(1)?.keys)
    }

    @Test func `a stronger bond is never replaced by a weaker one`() throws {
        let scene = try PairingScene()
        scene.setPolicy {
            $0.replacement = .unlessWeaker
            ($0.ioCapability, $0.requiresAuthentication) = (.displayYesNo, true)
        }
        scene.open(0)
        #expect(scene.pair(by: 1) == .started && scene.finish())
        let bond = try #require(scene.bond(0))
        #expect(bond.isAuthenticated)
        scene.setPolicy { $0.requiresAuthentication = false }
        scene.duet.b.host.removeBond(with: scene.address(of: 0))
        scene.duet.a.host.policy.legacyPeers = [scene.address(of: 1)]
        for isLegacy in [false, true] {
            try scene.reconnect()
            let start = scene.pair(by: 1) {
                $0.ioCapability = isLegacy ? .keyboardOnly : .noInputNoOutput
                ($0.offersSecureConnections, $0.allowsLegacy) = (!isLegacy, isLegacy)
            }
            #expect(start == .started)
            #expect(scene.run { scene.failure(1) == .refusedByPeer(.authenticationRequirements) })
            #expect(scene.bond(0) == bond && !scene.isDown(0))
        }
        // An equally strong bond is another matter.
        try scene.reconnect()
        #expect(scene.pair(by: 1) { $0.requiresAuthentication = true } == .started)
        #expect(scene.finish())
        #expect(scene.bond(0)?.isAuthenticated == true && scene.bond(0)?.keys != bond.keys)
    }

    // MARK: Security Requests

    @Test func `a Peripheral that asks for security gets the key of its bond`() throws {
        let scene = try PairingScene()
        scene.open(0)
        #expect(scene.pair(by: 1) == .started && scene.finish())
        scene.setPolicy { $0.encryptsAtConnection = false }
        try scene.reconnect()
        scene.run(for: .seconds(2))
        #expect(scene.security(1)?.isEncrypted == false)
        scene.inject([0x0B, 0x09], to: 1)
        #expect(scene.run { scene.security(1)?.isEncrypted == true })
        // A repeated request changes nothing.
        scene.inject([0x0B, 0x09], to: 1)
        scene.run(for: .seconds(2))
        #expect(scene.duet.commands(.leEnableEncryption, of: 1).count == 1)
        #expect(scene.counters(1).pairingsStarted == 1 && scene.sentPairingPDUs(1).isEmpty)
    }

    /// CVE-2025-62235.
    @Test func `an impostor's Security Request costs no bond`() throws {
        let scene = try PairingScene()
        scene.setPolicy {
            $0.acceptsPairing = .open
            $0.replacement = .unlessWeaker
        }
        #expect(scene.pair(by: 1) == .started && scene.finish())
        let bond = scene.bond(1)
        scene.duet.a.host.removeBond(with: scene.address(of: 1))
        scene.duet.b.host.policy.encryptsAtConnection = false
        try scene.reconnect()
        _ = scene.duet.b.host.takeBondChanges()
        scene.inject([0x0B, 0x09], to: 1)
        #expect(scene.run { scene.isDown(1) })
        let reasons = scene.duet.b.events.compactMap { event -> HCIStatus? in
            if case .disconnected(_, _, _, let end) = event { end.reason } else { nil }
        }
        #expect(reasons == [.pinOrKeyMissing])
        #expect(scene.bond(1) == bond && scene.duet.b.host.takeBondChanges().isEmpty)
        #expect(scene.counters(1).pairingsStarted == 1)
    }

    @Test func `a Security Request while the Central pairs is ignored`() throws {
        let scene = try PairingScene()
        scene.open(0)
        scene.pair(by: 1)
        scene.inject([0x0B, 0x09], to: 1)
        #expect(scene.finish())
        #expect(scene.counters(1).pairingPDUsIgnored == 1)
    }

    @Test func `a Central that leaves a Security Request unanswered may pair later`() throws {
        let scene = try PairingScene()
        scene.open(0)
        // The state after a request to a host that ignores it.
        let handle = try #require(scene.duet.a.host.links.handle(of: scene.links.a))
        let settings = PairingSettings(identity: scene.address(of: 0))
        scene.duet.players[0].host.links[handle]?.pairing.await(
            .init(settings: settings, purpose: .pairing, deadline: scene.duet.now + PairingMachine.timeout))
        #expect(scene.run(for: .seconds(35)) { scene.failure(0) == .timedOut })
        scene.forget()
        #expect(scene.pair(by: 1) == .started && scene.finish())
    }
}
