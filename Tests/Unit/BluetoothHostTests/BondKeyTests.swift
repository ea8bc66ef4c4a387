// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// A bonded peer's link, encrypted with another key than the bond's.
struct BondKeyTests {
    private static let service = LocalService(
        uuid: BluetoothUUID(UInt16(0x1234)),
        characteristics: [
            LocalCharacteristic(uuid: BluetoothUUID(UInt16(0x1235)), properties: .read, value: [42], read: .encrypted)
        ])

    /// `a` has a bond with the address of `b`. A device at this address has lost the bond and pairs anew, as the policy
    /// allows. Unless `finishes`, the pairing stops when the link is encrypted with the new key and the peer's own keys
    /// have not come.
    private func scene(_ finishes: Bool) throws -> (scene: PairingScene, handle: UInt16, old: Bond) {
        let scene = try PairingScene()
        scene.open(0)
        scene.setPolicy { $0.replacement = .unlessWeaker }
        scene.pair(by: 1)
        #expect(scene.finish())
        let old = try #require(scene.bond(0))
        scene.duet.b.host.removeBond(with: scene.address(of: 0))
        let published = try scene.duet.a.host.publish(Self.service, for: Duet.client, at: scene.duet.now).get()
        try scene.reconnect()
        let identity = scene.address(of: 1)
        scene.duet.deliver = { player, packet in
            let isKey = packet.count > 9 && packet[0] == 2 && packet[7] == 6 && [0x08, 0x09].contains(packet[9])
            return player == 0 && isKey && !finishes ? [] : [packet]
        }
        scene.pair(by: 1) { ($0.identity, $0.identityKey) = (identity, Sample.key(7)) }
        if finishes {
            #expect(scene.finish())
        } else {
            #expect(scene.run { scene.security(0)?.isEncrypted == true && scene.security(1)?.isEncrypted == true })
            scene.run(for: .seconds(1))
            #expect(scene.bond(0)?.keys == old.keys && !scene.hasFinished(0))
        }
        scene.duet.forget()
        return (scene, published.characteristics[0].valueHandle, old)
    }

    @Test(arguments: [false, true], [[0x1B, 9, 0, 1], [0x1D, 9, 0, 1], [0x23, 9, 0, 1, 0, 1]] as [[UInt8]])
    func `values are believed under the bond's key, and under no other one`(hasBondsKey: Bool, pdu: [UInt8]) throws {
        let (scene, _, old) = try scene(hasBondsKey)
        scene.inject(attribute: pdu)
        let counters = scene.counters(0)
        #expect(counters.valuesBlocked == (hasBondsKey ? 0 : 1))
        #expect(counters.notifications + counters.indications == (hasBondsKey ? 1 : 0))
        #expect((scene.bond(0)?.keys == old.keys) == !hasBondsKey)
    }

    @Test(arguments: [false, true])
    func `protected attributes are served under the bond's key, and under no other one`(hasBondsKey: Bool) throws {
        let (scene, handle, _) = try scene(hasBondsKey)
        let low = UInt8(truncatingIfNeeded: handle)
        scene.inject(attribute: [0x0A, low, 0])
        // Insufficient Authentication: the link is encrypted, so encryption is not what it lacks.
        #expect(scene.attributeAnswers() == [hasBondsKey ? [0x0B, 42] : [0x01, 0x0A, low, 0, 0x05]])
    }

    @Test(arguments: [false, true])
    func `a person's word for a peer counts under the bond's key, and under no other one`(hasBondsKey: Bool) throws {
        let (scene, _, _) = try scene(hasBondsKey)
        var bond = try #require(scene.bond(0))
        bond.isAuthorized = true
        #expect(scene.duet.a.host.store(bond) == true)
        #expect(scene.security(0)?.isEncrypted == true && scene.security(0)?.isAuthorized == hasBondsKey)
    }

    @Test func `a channel that wants encryption opens under the bond's key, and under no other one`() throws {
        for hasBondsKey in [false, true] {
            let (scene, _, _) = try scene(hasBondsKey)
            let handle = try #require(scene.duet.a.host.links.handle(of: scene.link(0)))
            let security = scene.duet.a.host.provenSecurity(on: handle)
            #expect(security.isEncrypted == hasBondsKey && security.hasBond == hasBondsKey)
        }
    }
}
