// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// A stranger who only holds a link gives the link up for a client of ours, and nobody else gets the place at once.
struct IdleStrangerTests {
    private static let controllers = [ControllerSettings(), ControllerSettings(extendedAdvertising: true)]

    private func makeRoom(_ duet: Duet) -> DeviceAddress? {
        duet.players[0].host.makeRoom(idleFor: .seconds(30), at: duet.now)
    }

    /// Whether anybody could connect in the next seconds.
    private func isConnectable(_ duet: Duet, by player: Int = 1) -> Bool {
        duet.forget()
        duet.run(for: .seconds(5))
        #expect(!duet.players[player].advertisements.isEmpty)
        return duet.players[player].advertisements.contains { $0.advertisement.isConnectable }
    }

    @Test(arguments: 0..<2)
    func `the link ends when it has been idle for long enough, and nobody connects for a while`(kind: Int) throws {
        let duet = Duet(Self.controllers[kind], ControllerSettings())
        _ = try duet.connected()
        duet.run(for: .seconds(25))
        #expect(makeRoom(duet) == nil, "the link is young")
        duet.run(for: .seconds(10))
        #expect(makeRoom(duet) == duet.b.address)
        duet.run(for: .seconds(2))
        #expect(duet.host.slots.used == 0)
        duet.scan()
        #expect(!isConnectable(duet))
        duet.run(for: .seconds(10))
        #expect(isConnectable(duet))
        #expect(duet.violations == [])
    }

    @Test func `a device that asks keeps its link for half a minute, and ten minutes at most`() throws {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        let link = try duet.connected().b
        func ask(_ number: UInt64) {
            duet.players[1].host.request(
                .readByType(BluetoothUUID(0x2A00 as UInt16)),
                id: GATTRequestID(client: Duet.client, number: number), on: link, at: duet.now)
        }
        for number in UInt64(1)...22 {
            duet.run(for: .seconds(25))
            #expect(makeRoom(duet) == nil, "\(number)")
            ask(number)
        }
        duet.run(for: .seconds(25))
        ask(23)
        duet.run(for: .seconds(27))
        #expect(makeRoom(duet) == duet.b.address)
    }

    @Test func `a device with a subscription, like a phone during a set-up, has five minutes`() throws {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        let value = LocalCharacteristic(uuid: BluetoothUUID(UInt16(0x1235)), properties: .notify)
        let service = LocalService(uuid: BluetoothUUID(UInt16(0x1234)), characteristics: [value])
        let published = try duet.players[0].host.publish(service, for: Duet.client, at: duet.now).get()
        let link = try duet.connected().b
        let handle = try #require(published.characteristics.first).valueHandle
        duet.players[1].host.request(
            .configure(valueHandle: handle, endHandle: handle + 1, .notification),
            id: GATTRequestID(client: Duet.client, number: 1), on: link, at: duet.now)
        duet.run(for: .seconds(280))
        #expect(makeRoom(duet) == nil)
        duet.run(for: .seconds(30))
        #expect(makeRoom(duet) == duet.b.address)
    }

    @Test func `a host that no longer advertises when it makes room does not wake up for nothing`() throws {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        _ = try duet.connected()
        duet.run(for: .seconds(40))
        duet.players[0].host.setAdvertising(nil, for: Duet.client, at: duet.now)
        duet.run(for: .seconds(1))
        #expect(makeRoom(duet) == duet.b.address)
        // The bench notices a deadline that stays in the past.
        duet.run(for: .seconds(60))
        duet.advertise()
        duet.scan()
        #expect(isConnectable(duet))
    }

    @Test func `the oldest of several links goes first, and links that we have made stay`() throws {
        let duet = Duet(ControllerSettings(), ControllerSettings(), ControllerSettings())
        _ = try duet.connected()
        duet.run(for: .seconds(10))
        duet.connect(by: 2)
        #expect(duet.run(for: .seconds(10)) { duet.host.slots.used == 2 })
        duet.run(for: .seconds(40))
        #expect(makeRoom(duet) == duet.b.address)
        #expect(makeRoom(duet) == nil, "a link ends already, and one is enough")
        duet.run(for: .seconds(2))
        #expect(duet.host.slots.used == 1)
        // The other way round: the gateway has connected.
        #expect(duet.players[2].host.makeRoom(idleFor: .zero, at: duet.now) == nil)
    }

    @Test func `a phone that pairs, and a phone with an encrypted link, keep their links`() throws {
        let scene = try PairingScene()
        scene.open(0)
        let duet = scene.duet
        duet.run(for: .seconds(40))
        scene.pair(by: 1)
        #expect(duet.run(for: .seconds(10)) { duet.host.links.values.contains { $0.pairing.isBusy } })
        #expect(makeRoom(duet) == nil, "a pairing is under way")
        #expect(scene.finish())
        #expect(duet.host.links.values.contains { $0.encryption.isEncrypted })
        #expect(makeRoom(duet) == nil, "the link is encrypted")
        duet.b.host.policy.encryptsAtConnection = false
        try scene.reconnect()
        duet.run(for: .seconds(40))
        #expect(duet.b.host.encrypt(scene.links.b, at: duet.now) == .started)
        #expect(duet.run(for: .seconds(10)) { duet.host.links.values.contains { $0.encryption.isChanging } })
        #expect(makeRoom(duet) == nil, "the link is about to be encrypted")
        #expect(duet.host.slots.used == 1)
    }
}
