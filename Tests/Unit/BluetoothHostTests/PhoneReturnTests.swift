// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Our answers to a phone before its pairing, after its return, and after one side has forgotten the other. On
/// Insufficient Authentication (0x05), phones and browsers pair by themselves.
struct PhoneReturnTests {
    private static let service = LocalService(
        uuid: BluetoothUUID(UInt16(0x1234)),
        characteristics: [
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0x1235)), properties: [.read, .notify], value: [42],
                read: AttributeAccess(level: .secureConnections), notify: AttributeAccess(level: .secureConnections))
        ])

    private static var window: SecurityPolicy {
        var policy = SecurityPolicy()
        policy.acceptsPairing = .open
        policy.ioCapability = .displayOnly
        policy.requiresAuthentication = true
        policy.replacement = .unlessWeaker
        policy.hasAgent = true
        return policy
    }

    private static func phone(_ settings: inout PairingSettings) {
        settings.ioCapability = .keyboardDisplay
        settings.asksForAuthentication = true
    }

    /// A gateway with a value for owners, and a phone.
    private func scene(isPaired: Bool) throws -> (scene: PairingScene, read: [UInt8]) {
        let scene = try PairingScene()
        let published = try scene.duet.a.host.publish(Self.service, for: Duet.client, at: scene.duet.now).get()
        scene.duet.a.host.peripheralPolicy = Self.window
        if isPaired {
            #expect(scene.pair(by: 1, Self.phone) == .started && scene.finish())
            #expect(scene.bond(0)?.isAuthenticated == true && scene.bond(0)?.isOfCentral == true)
            scene.duet.a.host.peripheralPolicy?.acceptsPairing = .closed
        }
        var read: [UInt8] = [0x0A]
        read.append(u16: published.characteristics[0].valueHandle)
        return (scene, read)
    }

    private func refusal(_ read: [UInt8], _ error: UInt8) -> [UInt8] { [0x01] + read + [error] }

    /// Apple's rule: no Security Request before a refused request. Here, there is none afterwards either.
    private func expectNoSecurityRequest(_ scene: PairingScene) {
        #expect(!scene.sentPairingPDUs(0).contains { $0.first == 0x0B })
    }

    @Test func `a phone without a key is refused for want of authentication, each time, and is asked for nothing`()
        throws
    {
        let (scene, read) = try scene(isPaired: false)
        for _ in 0..<3 {
            #expect(scene.answer(to: read) == refusal(read, 0x05))
            expectNoSecurityRequest(scene)
        }
        // A subscription is refused in this way, too.
        let configuration = [0x12, read[1] + 1, read[2], 1, 0]
        #expect(scene.answer(to: configuration) == [0x01, 0x12, read[1] + 1, read[2], 0x05])
        expectNoSecurityRequest(scene)
    }

    @Test func `a phone whose key is worth less is refused for want of authentication, before it encrypts and after`()
        throws
    {
        for keys in [LongTermKeys.secureConnections(Sample.key(9)), nil] {
            let (scene, read) = try scene(isPaired: false)
            // Made under another policy; nil: authenticated, and by LE legacy pairing.
            let key = LegacyKey(key: Sample.key(9), ediv: 1, rand: 2)
            for player in 0...1 {
                let peer = scene.address(of: 1 - player)
                let legacy: LongTermKeys =
                    player == 0
                    ? .legacy(peerDistributed: nil, localDistributed: key)
                    : .legacy(peerDistributed: key, localDistributed: nil)
                let bond = Bond(
                    identity: peer, keys: keys ?? legacy, isAuthenticated: keys == nil, isOfCentral: player == 0)
                let isStored = bond.map { scene.duet.players[player].host.store($0) }
                #expect(isStored == true)
            }
            scene.duet.b.host.policy.encryptsAtConnection = false
            try scene.reconnect()
            #expect(scene.answer(to: read) == refusal(read, 0x05))
            #expect(scene.duet.b.host.encrypt(scene.links.b, at: scene.duet.now) == .started)
            #expect(scene.run { scene.security(0)?.isEncrypted == true })
            #expect(scene.answer(to: read) == refusal(read, 0x05))
            expectNoSecurityRequest(scene)
        }
    }

    @Test func `a bonded phone is served after the window, and never pairs again`() throws {
        let (scene, read) = try scene(isPaired: true)
        try scene.reconnect()
        #expect(scene.run { scene.security(0)?.isEncrypted == true })
        #expect(scene.answer(to: read) == [0x0B, 42])
        #expect(scene.counters(0).pairingsStarted == 1)
        expectNoSecurityRequest(scene)
    }

    @Test func `a bonded phone that has not encrypted yet is told to, once`() throws {
        let (scene, read) = try scene(isPaired: true)
        scene.duet.b.host.policy.encryptsAtConnection = false
        try scene.reconnect()
        #expect(scene.answer(to: read) == refusal(read, 0x0F))
        #expect(scene.duet.b.host.encrypt(scene.links.b, at: scene.duet.now) == .started)
        #expect(scene.run { scene.security(0)?.isEncrypted == true })
        #expect(scene.answer(to: read) == [0x0B, 42])
        expectNoSecurityRequest(scene)
    }

    @Test func `a phone that has lost its bond hears that it has to pair, and may in the window alone`() throws {
        let (scene, read) = try scene(isPaired: true)
        let old = try #require(scene.bond(0))
        scene.duet.b.host.removeBond(with: scene.address(of: 0))
        try scene.reconnect()
        #expect(scene.answer(to: read) == refusal(read, 0x0F))
        for _ in 0..<2 { #expect(scene.answer(to: read) == refusal(read, 0x05)) }
        expectNoSecurityRequest(scene)
        scene.pair(by: 1, Self.phone)
        #expect(scene.run { scene.failure(1) == .refusedByPeer(.pairingNotSupported) })
        #expect(scene.bond(0) == old && !scene.isDown(0))

        // In the window, only an equal or better bond replaces the old bond, and only after its pairing has succeeded.
        scene.duet.a.host.peripheralPolicy = Self.window
        scene.duet.a.host.peripheralPolicy?.requiresAuthentication = false
        scene.forget()
        scene.pair(by: 1) { $0.ioCapability = .noInputNoOutput }
        #expect(scene.run { scene.failure(1) == .refusedByPeer(.authenticationRequirements) })
        #expect(scene.bond(0) == old)
        scene.forget()
        scene.misreads = true
        scene.pair(by: 1, Self.phone)
        #expect(scene.run { scene.failure(1) != nil && scene.failure(0) != nil })
        #expect(scene.bond(0) == old)
        scene.forget()
        scene.misreads = false
        scene.run(for: .seconds(5))
        #expect(scene.pair(by: 1, Self.phone) == .started && scene.finish())
        #expect(scene.bond(0)?.keys != old.keys && scene.bond(0)?.isAuthenticated == true)
        #expect(scene.answer(to: read) == [0x0B, 42])
    }

    @Test func `a phone whose bond was removed here is told that the key is missing`() throws {
        let (scene, read) = try scene(isPaired: true)
        scene.duet.a.host.removeBond(with: scene.address(of: 1))
        try scene.reconnect()
        let isTold = scene.run {
            scene.duet.count(1) {
                if case .encryptionFailed(_, .pinOrKeyMissing) = $0 { true } else { false }
            } == 1
        }
        #expect(isTold && scene.counters(0).pairingsStarted == 1)
        #expect(scene.duet.commands(.leLongTermKeyRequestNegativeReply, of: 0).count == 1)
        // Without its key, the phone is treated like any other phone.
        scene.duet.b.host.removeBond(with: scene.address(of: 0))
        try scene.reconnect()
        #expect(scene.answer(to: read) == refusal(read, 0x05))
    }

    /// The passkey of a sensor's label proves only the sensor. Otherwise a sensor that connects to us would count as an
    /// owner.
    @Test func `a key that was made with a sensor opens nothing where phones have a policy of their own`() throws {
        for door in [0, 1, 2] {
            let (scene, read) = try scene(isPaired: false)
            switch door {
            case 0: scene.duet.a.host.peripheralPolicy = nil
            case 1: break
            default:
                scene.duet.a.host.peripheralPolicy = nil
                scene.duet.a.host.policy.admitsCentrals = false
            }
            for player in 0...1 {
                let bond = Bond(
                    identity: scene.address(of: 1 - player), keys: .secureConnections(Sample.key(9)),
                    isAuthenticated: true)
                let isStored = bond.map { scene.duet.players[player].host.store($0) }
                #expect(isStored == true)
            }
            try scene.reconnect()
            #expect(scene.run { scene.security(0)?.isEncrypted == true })
            #expect(scene.answer(to: read) == (door == 0 ? [0x0B, 42] : refusal(read, 0x05)))
        }
    }
}
