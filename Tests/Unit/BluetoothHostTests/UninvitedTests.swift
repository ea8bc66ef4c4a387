// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing
import VirtualRadio

@testable import HostBench

/// Links in the Peripheral role without an advertisement of our clients.
struct UninvitedTests {
    /// LE Connection Complete in the Peripheral role. Core 5.4, Vol 4, Part E, 7.7.65.1.
    private static let completion: [UInt8] =
        [4, 0x3E, 19, 1, 0, 0x55, 0, 1, 1, 0x77, 0, 0, 0, 0, 0xC0, 0x18, 0, 0, 0, 0xF4, 1, 0]

    private func disconnects(_ duet: Duet) -> Int {
        duet.commands(.disconnect, of: 0).count { $0[4] == 0x55 && $0[5] == 0 }
    }

    private static let controllers = [ControllerSettings(), ControllerSettings(extendedAdvertising: true)]

    @Test(arguments: 0...1, [nil, AdvertisingKind.scannable, .nonConnectable])
    func `a link that nobody advertised for is ended, and nothing is done for its peer`(
        index: Int, kind: AdvertisingKind?
    ) throws {
        let duet = Duet(Self.controllers[index])
        let service = LocalService(
            uuid: BluetoothUUID(UInt16(0x1234)),
            characteristics: [
                LocalCharacteristic(uuid: BluetoothUUID(UInt16(0x1235)), properties: .writeWithoutResponse)
            ])
        let published = try duet.players[0].host.publish(service, for: Duet.client, at: duet.now).get()
        if let kind { duet.advertise(AdvertisingDemand(data: Duet.data, kind: kind)) }
        duet.run(for: .seconds(1))
        duet.forget()
        duet.players[0].host.received(Self.completion.span.bytes, at: duet.now)
        // A request for the device's name.
        duet.players[0].host.received([2, 0x55, 0x20, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0].span.bytes, at: duet.now)
        let handle = UInt8(truncatingIfNeeded: published.characteristics[0].valueHandle)
        duet.players[0].host.received([2, 0x55, 0x20, 8, 0, 4, 0, 4, 0, 0x52, handle, 0, 1].span.bytes, at: duet.now)
        duet.run(for: .milliseconds(100))
        #expect(duet.count(0) { if case .server(_, .write) = $0 { true } else { false } } == 0)
        #expect(disconnects(duet) == 1 && duet.players[0].sent.allSatisfy { $0[0] == 1 })
        #expect(duet.a.host.counters.uninvitedConnections == 1)
        // The controller of the air does not know this link, and reports the fact.
        #expect(!duet.a.host.hasLinks)
    }

    @Test(arguments: 0...1) func `whoever comes to an advertisement stays, and one more than that does not`(
        index: Int
    ) throws {
        let duet = Duet(Self.controllers[index], ControllerSettings())
        let links = try duet.connected()
        duet.players[0].host.setAdvertising(nil, for: Duet.client, at: duet.now)
        duet.run(for: .seconds(2))
        #expect(duet.a.host.hasLinks && duet.a.host.counters.uninvitedConnections == 0)
        duet.players[0].host.received(Self.completion.span.bytes, at: duet.now)
        duet.run(for: .seconds(1))
        #expect(duet.a.host.counters.uninvitedConnections == 1 && disconnects(duet) == 1)
        #expect(duet.a.host.security(of: links.a) != nil, "the other link is as it was")
        #expect(duet.violations == [])
    }

    @Test func `a controller may tell of the end of its advertising before it tells of the link`() throws {
        let duet = Duet(Self.controllers[1], ControllerSettings())
        var held: [[UInt8]] = []
        duet.deliver = { player, packet in
            guard player == 0, packet[0] == 4, packet[1] == 0x3E else { return [packet] }
            if packet[3] == 0x01 || packet[3] == 0x0A {
                held.append(packet)
                return []
            }
            guard packet[3] == 0x12 else { return [packet] }
            defer { held = [] }
            return [packet] + held
        }
        _ = try duet.connected()
        #expect(duet.a.host.counters.centralConnections == 1 && duet.a.host.counters.uninvitedConnections == 0)
    }

    @Test func `a link that came late leaves no invitation to the next one with its handle`() throws {
        let duet = Duet(Self.controllers[1], ControllerSettings())
        var (held, handle): ([[UInt8]], [UInt8]) = ([], [])
        duet.deliver = { player, packet in
            guard player == 0, packet[0] == 4, packet[1] == 0x3E else { return [packet] }
            if packet[3] == 0x01 || packet[3] == 0x0A {
                held.append(packet)
                handle = Array(packet[5...6])
                return []
            }
            guard packet[3] == 0x12 else { return [packet] }
            defer { held = [] }
            return [packet] + held
        }
        // Another client's advertisement would be invitation enough for the late link.
        duet.advertise(for: Duet.other)
        _ = try duet.connected()
        duet.players[1].host.disconnect(duet.a.address, for: Duet.client, at: duet.now)
        for client in [Duet.client, Duet.other] { duet.players[0].host.setAdvertising(nil, for: client, at: duet.now) }
        duet.run(for: .seconds(5))
        try #require(!duet.a.host.hasLinks && handle.count == 2)
        var completion = Self.completion
        completion.replaceSubrange(5...6, with: handle)
        duet.players[0].host.received(completion.span.bytes, at: duet.now)
        duet.run(for: .milliseconds(100))
        #expect(duet.a.host.counters.uninvitedConnections == 1)
    }
}
