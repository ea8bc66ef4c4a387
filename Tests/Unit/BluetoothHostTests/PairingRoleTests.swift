// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Rules for peers that connect to us, beside the rules for peers that we connect to. `a` is the Peripheral.
struct PairingRoleTests {
    /// The policy for the set-up of a gateway by a phone.
    private static func window(_ digits: UInt32? = nil, number: UInt64 = 1) -> SecurityPolicy {
        var policy = SecurityPolicy()
        policy.acceptsPairing = .open
        policy.ioCapability = .displayOnly
        policy.requiresAuthentication = true
        policy.replacement = .unlessWeaker
        policy.hasAgent = true
        if let digits { policy.once = .init(number: number, passkey: digits, outOfBand: nil) }
        return policy
    }

    private func phone(_ settings: inout PairingSettings) {
        settings.ioCapability = .keyboardDisplay
        settings.asksForAuthentication = true
    }

    @Test func `links that we make have the common policy`() throws {
        let scene = try PairingScene()
        scene.open(0)
        // Without effect on links with us as the Central.
        scene.duet.b.host.peripheralPolicy = Self.window()
        #expect(scene.pair(by: 1) == .started && scene.finish())
        #expect(scene.bond(1)?.isAuthenticated == false)
    }

    @Test func `a phone enters the digits that were shown before`() throws {
        let scene = try PairingScene()
        scene.duet.a.host.peripheralPolicy = Self.window(19_655)
        #expect(scene.pair(by: 1, phone) == .started && scene.finish())
        #expect(scene.questions[0] == [.display(passkey: 19_655)])
        #expect(scene.bond(0)?.isAuthenticated == true && scene.bond(0)?.isSecureConnections == true)
    }

    @Test(arguments: [false, true])
    func `digits that were used are not used again, whether the pairing succeeds or not`(succeeds: Bool) throws {
        let scene = try PairingScene()
        scene.duet.a.host.peripheralPolicy = Self.window(19_655)
        scene.misreads = !succeeds
        scene.pair(by: 1, phone)
        #expect(scene.run { succeeds ? scene.hasFinished(1) : scene.failure(1) != nil })
        scene.duet.b.host.removeBond(with: scene.address(of: 0))
        scene.misreads = false
        try scene.reconnect()
        let started = scene.counters(0).pairingsStarted
        scene.pair(by: 1, phone)
        #expect(scene.run { scene.failure(1) == .refusedByPeer(.repeatedAttempts) })
        #expect(scene.counters(0).pairingsStarted == started && scene.questions[0].isEmpty)
        // The rest of a policy may change.
        scene.duet.a.host.peripheralPolicy?.isBondable = false
        try scene.reconnect()
        scene.pair(by: 1, phone)
        #expect(scene.run { scene.failure(1) == .refusedByPeer(.repeatedAttempts) })
        #expect(scene.counters(0).pairingsStarted == started)
        // After a new setting, the digits are good for one more pairing.
        scene.duet.a.host.peripheralPolicy = Self.window(19_655, number: 2)
        // Three failures in a row make a peer wait.
        scene.run(for: .seconds(5))
        try scene.reconnect()
        #expect(scene.pair(by: 1, phone) == .started && scene.finish())
        #expect(scene.questions[0] == [.display(passkey: 19_655)])
    }

    @Test func `legacy pairing uses the shown digits up, too`() throws {
        let scene = try PairingScene()
        var policy = Self.window(19_655)
        policy.legacyPeers = [scene.address(of: 1)]
        scene.duet.a.host.peripheralPolicy = policy
        let legacy: (inout PairingSettings) -> Void = {
            ($0.ioCapability, $0.asksForAuthentication) = (.keyboardDisplay, true)
            ($0.offersSecureConnections, $0.allowsLegacy) = (false, true)
        }
        #expect(scene.pair(by: 1, legacy) == .started && scene.finish())
        #expect(scene.questions[0] == [.display(passkey: 19_655)])
        #expect(scene.bond(0)?.isSecureConnections == false)
        scene.duet.b.host.removeBond(with: scene.address(of: 0))
        try scene.reconnect()
        scene.pair(by: 1, legacy)
        #expect(scene.run { scene.failure(1) == .refusedByPeer(.repeatedAttempts) })
    }

    @Test func `a link that is lost after the digits were shown has used them`() throws {
        let scene = try PairingScene()
        scene.duet.a.host.peripheralPolicy = Self.window(19_655)
        scene.pair(by: 1, phone)
        #expect(scene.duet.run(for: .seconds(10)) { !scene.shownDigits.isEmpty })
        try scene.reconnect()
        scene.pair(by: 1, phone)
        #expect(scene.run { scene.failure(1) == .refusedByPeer(.repeatedAttempts) })
    }

    @Test func `a pairing that is refused before the digits leaves them to the next`() throws {
        let scene = try PairingScene()
        scene.duet.a.host.peripheralPolicy = Self.window(19_655)
        for capability in [IOCapability.noInputNoOutput, .displayOnly, .displayYesNo] {
            scene.pair(by: 1) { $0.ioCapability = capability }
            #expect(scene.run { scene.failure(1) == .refusedByPeer(.authenticationRequirements) })
            // Three failures in a row make a peer wait.
            scene.run(for: .seconds(5))
            try scene.reconnect()
        }
        #expect(scene.pair(by: 1, phone) == .started && scene.finish())
    }

    /// CVE-2020-26558 and Passkey Entry's own weakness: each run with unchanged digits reveals some of them.
    @Test func `two phones that begin at once do not get the same digits`() throws {
        let duet = Duet(ControllerSettings(), ControllerSettings(), ControllerSettings())
        duet.a.host.peripheralPolicy = Self.window(19_655)
        for player in 1...2 {
            duet.advertise()
            duet.connect(by: player)
            #expect(duet.run(for: .seconds(10)) { duet.link(of: player) != nil })
        }
        for player in 1...2 {
            let link = try #require(duet.link(of: player))
            #expect(duet.players[player].host.pair(link, at: duet.now, phone) == .started)
        }
        func ends(_ player: Int) -> [PairingFailure] {
            duet.players[player].events.compactMap {
                if case .pairing(_, _, _, .failed(let failure)) = $0 { failure } else { nil }
            }
        }
        #expect(duet.run(for: .seconds(5)) { !ends(1).isEmpty || !ends(2).isEmpty })
        duet.run(for: .seconds(2))
        let shown = duet.count(0) { if case .pairing(_, _, _, .asked(.display, _)) = $0 { true } else { false } }
        #expect(shown == 1)
        #expect((ends(1) + ends(2)) == [.refusedByPeer(.repeatedAttempts)])
    }

    @Test(arguments: IOCapability.everyOne)
    func `no peer gets in by Just Works or by legacy pairing where authentication is required`(
        capability: IOCapability
    ) throws {
        for isLegacy in [false, true] {
            for asks in [false, true] {
                let scene = try PairingScene()
                scene.duet.a.host.peripheralPolicy = Self.window()
                scene.duet.a.host.policy.legacyPeers = [scene.address(of: 1)]
                scene.pair(by: 1) {
                    ($0.ioCapability, $0.asksForAuthentication) = (capability, asks)
                    ($0.offersSecureConnections, $0.allowsLegacy) = (!isLegacy, isLegacy)
                }
                let mayPair = !isLegacy && [.keyboardOnly, .keyboardDisplay].contains(capability)
                #expect(scene.run(for: .seconds(20)) { scene.failure(1) != nil || scene.hasFinished(1) })
                #expect(scene.hasFinished(1) == mayPair)
                #expect(!scene.models.contains(.justWorks) && (scene.bond(0)?.isAuthenticated ?? true))
                if !mayPair { #expect(scene.failure(1) == .refusedByPeer(.authenticationRequirements)) }
            }
        }
    }

    @Test func `who connects to us cannot say that it is one of the sensors`() throws {
        let sensor = DeviceAddress(kind: .public, value: 0xC47C_8D00_1122)
        let scene = try PairingScene()
        scene.duet.a.host.peripheralPolicy = Self.window()
        scene.duet.a.host.policy.reservedIdentities = [sensor]
        scene.pair(by: 1) {
            phone(&$0)
            ($0.identity, $0.identityKey) = (sensor, Sample.key(7))
        }
        #expect(scene.run { scene.isDown(0) && scene.isDown(1) })
        #expect(scene.duet.a.host.bonds.count == 0)
    }

    // MARK: Out of band

    private func told(
        _ scene: PairingScene, number: UInt64 = 1, passkey: UInt32? = nil
    ) -> OutOfBandData {
        let (pair, random) = (KeyPair(), [UInt8](0..<16))
        var policy = Self.window()
        policy.once = .init(
            number: number, passkey: passkey, outOfBand: LocalOutOfBandData(keyPair: pair, random: random))
        scene.duet.a.host.peripheralPolicy = policy
        let confirm = Cryptography.f4(u: pair.publicKey.x, v: pair.publicKey.x, x: random, z: 0)
        return OutOfBandData(confirm: confirm, random: random)
    }

    @Test func `a Central that has our data by other means pairs by it, once`() throws {
        let scene = try PairingScene()
        let data = told(scene)
        #expect(scene.pair(by: 1) { $0.peerOutOfBand = data } == .started)
        #expect(scene.run(for: .seconds(20)) { scene.hasFinished(0) && scene.hasFinished(1) })
        #expect(scene.bond(0)?.isAuthenticated == true && scene.questions[0].isEmpty)
        scene.duet.b.host.removeBond(with: scene.address(of: 0))
        try scene.reconnect()
        scene.pair(by: 1) { $0.peerOutOfBand = data }
        #expect(scene.run { scene.failure(1) != nil })
        #expect(scene.failure(1) == .refusedByPeer(.outOfBandNotAvailable))
        // This host also pairs by shown digits.
        try scene.reconnect()
        #expect(scene.pair(by: 1, phone) == .started && scene.finish())
    }

    @Test func `a Central without the data takes the digits, and leaves the data`() throws {
        let scene = try PairingScene()
        let data = told(scene)
        #expect(scene.pair(by: 1, phone) == .started && scene.finish())
        #expect(scene.models == [.passkeyEntry])
        scene.duet.b.host.removeBond(with: scene.address(of: 0))
        try scene.reconnect()
        #expect(scene.pair(by: 1) { $0.peerOutOfBand = data } == .started)
        #expect(scene.run(for: .seconds(20)) { scene.hasFinished(0) && scene.hasFinished(1) })
    }

    @Test func `somebody who only says that he has our data does not get in`() throws {
        let scene = try PairingScene()
        var data = told(scene)
        data.random = [UInt8](repeating: 9, count: 16)
        let other = KeyPair()
        // The phone accepts our key without a check, so our side has to notice the attack.
        data.confirm = Cryptography.f4(u: other.publicKey.x, v: other.publicKey.x, x: data.random ?? [], z: 0)
        scene.pair(by: 1) { $0.peerOutOfBand = data }
        #expect(scene.run { scene.failure(0) != nil && scene.failure(1) != nil })
        #expect(scene.bond(0) == nil)
    }
}

extension IOCapability {
    fileprivate static let everyOne: [Self] = [
        .displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay,
    ]
}

extension PairingScene {
    /// Digits for the Peripheral to show, whether people have seen them or not.
    fileprivate var shownDigits: [UInt32] {
        pairingEvents(0).compactMap { if case .asked(.display(let passkey), _) = $0 { passkey } else { nil } }
    }
}
