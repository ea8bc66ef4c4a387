// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import SMP
import Testing

@testable import BluetoothHost
@testable import HostBench

/// Effects and claims of a peer without a request from our side.
struct PairingClaimTests {
    @Test(arguments: [PairingAnswer.yes, .no])
    func `a Security Request makes no unauthenticated key before somebody has agreed`(answer: PairingAnswer) throws {
        let scene = try PairingScene()
        scene.open(1)
        scene.duet.players[1].host.policy.hasAgent = true
        scene.consent = answer
        #expect(scene.pair(by: 0) == .started)
        #expect(scene.run { scene.hasFinished(1) || scene.failure(1) != nil })
        #expect(scene.questions[1] == [.consent])
        #expect(scene.failure(1) == (answer == .yes ? nil : .refused(.pairingNotSupported)))
        #expect((scene.bond(1) != nil) == (answer == .yes))
    }

    @Test func `a Peripheral that asks for more than its bond is worth gets no other bond`() throws {
        let scene = try PairingScene()
        scene.setPolicy { $0.acceptsPairing = .open }
        #expect(scene.pair(by: 1) == .started && scene.finish())
        let bond = scene.bond(1)
        #expect(bond?.isAuthenticated == false)
        scene.inject([0x0B, 0x0D], to: 1)
        scene.run(for: .seconds(2))
        #expect(scene.sentPairingPDUs(1).last == [0x05, 0x05])
        #expect(scene.counters(1).pairingsStarted == 1 && scene.bond(1) == bond)
    }

    /// The policy of all links or the one for Centrals reserves the identity, by name or by its passkey.
    @Test(arguments: [false, true], [false, true])
    func `nobody with another address pairs under an identity that is reserved`(
        isForCentrals: Bool, hasPasskey: Bool
    ) throws {
        let scene = try PairingScene()
        scene.open(1)
        var policy = isForCentrals ? SecurityPolicy() : scene.duet.players[1].host.policy
        if hasPasskey {
            policy.passkeys = [Sample.identity(7): 123_456]
        } else {
            policy.reservedIdentities = [Sample.identity(7)]
        }
        if isForCentrals {
            scene.duet.players[1].host.peripheralPolicy = policy
        } else {
            scene.duet.players[1].host.policy = policy
        }
        scene.pair(by: 0) { ($0.identity, $0.identityKey) = (Sample.identity(7), Sample.key(7)) }
        #expect(scene.run { scene.isDown(1) })
        #expect(scene.failure(1) == .refused(.unspecifiedReason))
        #expect(scene.duet.players[1].host.bonds.all.isEmpty)
    }

    @Test func `a peer with an address that stays is kept under that, whatever it says`() throws {
        let scene = try PairingScene()
        scene.open(1)
        scene.pair(by: 0) { ($0.identity, $0.identityKey) = (Sample.identity(7), Sample.key(7)) }
        #expect(scene.run { scene.hasFinished(1) || scene.failure(1) != nil })
        #expect(scene.duet.players[1].host.bonds.all.map(\.identity) == [scene.address(of: 0)])
    }

    @Test func `a key that is not the bond's does not bring what the bonded peer has subscribed to`() throws {
        let scene = try PairingScene()
        let service = LocalService(
            uuid: BluetoothUUID(UInt16(0x1234)),
            characteristics: [0x1235, 0x1236].map {
                LocalCharacteristic(uuid: BluetoothUUID($0 as UInt16), properties: .notify)
            })
        let published = try scene.duet.players[0].host.publish(service, for: Duet.client, at: scene.duet.now).get()
        let configurations = published.characteristics.compactMap(\.configurationHandle)
        try #require(configurations.count == 2)
        let subscriptions = {
            scene.duet.count(0) { if case .server(_, .subscription(_, _, isOn: true)) = $0 { true } else { false } }
        }
        scene.open(0)
        scene.setPolicy { $0.replacement = .unlessWeaker }
        scene.pair(by: 1)
        #expect(scene.finish())
        func subscribe(to index: Int) {
            scene.duet.players[1].host.request(
                .write(handle: configurations[index], value: [1, 0]),
                id: GATTRequestID(client: Duet.client, number: UInt64(index + 1)), on: scene.link(1),
                at: scene.duet.now)
        }
        subscribe(to: 0)
        #expect(scene.run { subscriptions() == 1 })
        try scene.reconnect()
        // The bond's own key brings the subscription back.
        #expect(scene.run { scene.security(0)?.hasBond == true && subscriptions() == 1 })
        scene.duet.players[1].host.removeBond(with: scene.address(of: 0))
        try scene.reconnect()
        scene.pair(by: 1) { $0.isBonding = false }
        #expect(scene.run { scene.security(0)?.isEncrypted == true && scene.security(1)?.isEncrypted == true })
        scene.run(for: .seconds(1))
        #expect(subscriptions() == 0)
        // Nor are its own subscriptions kept for the bonded peer.
        let kept = scene.bond(0)?.clientState
        subscribe(to: 1)
        #expect(scene.run { subscriptions() == 1 })
        #expect(scene.bond(0)?.clientState == kept && kept?.isEmpty == false)
    }
}
