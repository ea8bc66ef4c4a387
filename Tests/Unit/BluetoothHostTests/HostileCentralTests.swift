// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import GATT
import HCI
import L2CAP
import Testing
import TestSupport
import VirtualRadio

@testable import HostBench

/// A Central that connects to our services, and then keeps to no rule.
struct HostileCentralTests {
    private static let service = LocalService(
        uuid: BluetoothUUID(UInt16(0x1234)),
        characteristics: [
            LocalCharacteristic(uuid: BluetoothUUID(UInt16(0x1235)), properties: [.read, .write, .notify, .indicate]),
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0x1236)), properties: [.read, .writeWithoutResponse],
                value: [UInt8](repeating: 7, count: 300)),
        ])

    /// Opcodes of a client, mostly with existing handles.
    private func attribute(_ generator: inout SeededGenerator) -> [UInt8] {
        let opcodes: [UInt8] = [
            0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x16, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2,
            UInt8(truncatingIfNeeded: generator.next()),
        ]
        var octets = [opcodes[Int(generator.next() % UInt64(opcodes.count))]]
        octets += [UInt8(generator.next() % 0x28), 0]
        octets += (0..<(generator.next() % 24)).map { _ in
            UInt8(truncatingIfNeeded: generator.next() % 2 == 0 ? generator.next() % 3 : generator.next())
        }
        return octets
    }

    private func signal(_ generator: inout SeededGenerator) -> [UInt8] {
        let length = UInt8([0, 2, 4, 6, 8, 10, 12][Int(generator.next() % 7)])
        let code = UInt8(generator.next() % 0x1B)
        let body = (0..<length).map { _ in
            UInt8(
                truncatingIfNeeded: generator.next() % 3 == 0
                    ? generator.next() : [0x80, 0x00, 0x40, 0x17][Int(generator.next() % 4)])
        }
        return [code, UInt8(truncatingIfNeeded: generator.next()), length, 0] + body
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `whatever it sends, only its own link suffers`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let duet = Duet(ControllerSettings(), ControllerSettings())
        _ = try duet.a.host.publish(Self.service, for: Duet.client, at: duet.now).get()
        #expect(duet.players[0].host.publish(spsm: 0x80, requirement: .none, for: Duet.client) == 0x80)
        var links = 0
        for _ in 0..<8 {
            _ = try duet.connected()
            links += 1
            let handle = try #require(connectionHandle(of: duet))
            for _ in 0..<1_500 where duet.a.host.hasLinks {
                let (channel, payload): (UInt16, [UInt8]) =
                    switch generator.next() % 8 {
                    case 0...4: (4, attribute(&generator))
                    case 5: (5, signal(&generator))
                    case 6: (6, attribute(&generator))
                    default: (0x40 + UInt16(generator.next() % 4), signal(&generator))
                    }
                var packet: [UInt8] = [2]
                packet.append(u16: handle | 0x2000)
                packet.append(u16: UInt16(payload.count + 4))
                packet.append(u16: UInt16(payload.count))
                packet.append(u16: channel)
                duet.players[0].host.received((packet + payload).span.bytes, at: duet.now)
                answer(duet, &generator)
                if generator.next() % 64 == 0 { duet.run(for: .milliseconds(200)) }
            }
            duet.run(for: .seconds(40))
            duet.players[0].host.shutDown(at: duet.now)
            duet.run(for: .seconds(5)) { !duet.a.host.hasLinks }
            duet.forget()
        }
        #expect(links == 8)
        #expect(duet.a.host.state == .ready)
        #expect(duet.a.host.counters.restarts == 0)
    }

    /// The handle whose data does not count as unknown.
    private func connectionHandle(of duet: Duet) -> UInt16? {
        (0..<0x0EFF as Range<UInt16>).first { handle in
            let before = duet.a.host.counters.unknownHandles
            let probe: [UInt8] = [2, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8) | 0x10, 0, 0]
            duet.players[0].host.received(probe.span.bytes, at: duet.now)
            return duet.a.host.counters.unknownHandles == before
        }
    }

    /// Answers some requests to the service's owner, and forgets the other requests.
    private func answer(_ duet: Duet, _ generator: inout SeededGenerator) {
        for event in duet.players[0].host.takeEvents().events {
            guard case .server(_, let event) = event else { continue }
            switch event {
            case .read(let request, _, _) where generator.next() % 8 != 0:
                _ = duet.players[0].host.answer(read: request, .success([1, 2, 3]), at: duet.now)
            case .write(_, let request?, _) where generator.next() % 8 != 0:
                let refusal: ATTErrorCode? = generator.next() % 3 == 0 ? .valueNotAllowed : nil
                _ = duet.players[0].host.answer(write: request, refusal, at: duet.now)
            default: break
            }
        }
    }
}
