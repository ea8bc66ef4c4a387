// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import Testing
import TestSupport
import VirtualRadio

@testable import HostBench

/// Octets that no honest controller or peer sends. They are counted, and nothing traps.
struct HostileInputTests {
    private func connected() -> Simulation {
        let simulation = Simulation()
        _ = simulation.addSensor(1)
        simulation.host.connect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(10)) { simulation.connections == 1 }
        return simulation
    }

    @Test func `data for no link and data that contradicts itself are counted`() {
        let simulation = connected()
        let before = simulation.host.counters
        let packets: [[UInt8]] = [
            [2, 0xFF, 0x0E, 0, 0],  // no such handle
            [2, 0x01, 0x20, 9, 0, 1],  // shorter than it says
            [9, 1, 2], [],
            // Advertising reports, legacy and extended, without their number, or with too great a number.
            [4, 0x3E, 1, 0x02], [4, 0x3E, 1, 0x0D], [4, 0x3E, 2, 0x02, 1], [4, 0x3E, 2, 0x0D, 1],
        ]
        for packet in packets { simulation.host.received(packet.span.bytes, at: simulation.now) }
        #expect(simulation.host.counters.unknownHandles == before.unknownHandles + 1)
        #expect(simulation.host.counters.malformedPackets == before.malformedPackets + 6)
    }

    @Test func `random packets never trap, on a link or on none`() {
        var generator = SeededGenerator(seed: 11)
        let simulation = connected()
        for round in 0..<30_000 {
            var packet: [UInt8] = [generator.next() % 2 == 0 ? 2 : 4]
            let body = (0..<(generator.next() % 40)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            if packet[0] == 2 {
                // Mostly existing handles.
                packet += [UInt8(generator.next() % 4), UInt8(generator.next() % 4) << 4]
                packet += [UInt8(body.count), 0] + body
                if packet.count > 9, round % 2 == 0 {
                    (packet[5], packet[6]) = (UInt8(packet.count - 9), 0)
                    (packet[7], packet[8]) = (UInt8(4 + generator.next() % 3), 0)
                }
            } else {
                let codes: [UInt8] = [
                    0x05, 0x0E, 0x0F, 0x13, 0x3E, 0x3E, 0x3E, UInt8(truncatingIfNeeded: generator.next()),
                ]
                packet += [codes[Int(generator.next() % 8)], UInt8(body.count)] + body
            }
            simulation.host.received(packet.span.bytes, at: simulation.now)
            if round % 100 == 0 {
                _ = simulation.host.takeOutbound()
                _ = simulation.host.takeEvents()
            }
        }
        simulation.host.start(at: simulation.now)
        _ = simulation.host.takeOutbound()
    }

    @Test(arguments: [false, true])
    func `random events never trap while everything is in use`(isExtended: Bool) throws {
        let duet = Duet(ControllerSettings(extendedAdvertising: isExtended), ControllerSettings())
        _ = try duet.connected()
        duet.scan(by: 0)
        duet.players[0].host.connect(Simulation.sensor(1), for: Duet.client, at: duet.now)
        duet.run(for: .seconds(1))
        var generator = SeededGenerator(seed: 5)
        for round in 0..<6_000 {
            // Link layer events, the ends of sets, connections and answers, with handles that may exist.
            let subevents: [UInt8] = [0x01, 0x03, 0x04, 0x06, 0x07, 0x0A, 0x0C, 0x12]
            var body: [UInt8] = [subevents[Int(generator.next() % 8)], UInt8(generator.next() % 3)]
            body += (0..<32).map { _ in UInt8(truncatingIfNeeded: generator.next() % 2 == 0 ? 0x40 : generator.next()) }
            var packet: [UInt8] = [4, 0x3E, UInt8(body.count)] + body
            if round % 3 == 0 {
                let opcode = UInt16(
                    [0x2006, 0x200A, 0x2039, 0x2036, 0x2016, 0x2032, 0x2013][Int(generator.next() % 7)])
                packet = [4, 0x0E, 4, 1, UInt8(truncatingIfNeeded: opcode), UInt8(truncatingIfNeeded: opcode >> 8)]
                packet.append(UInt8(truncatingIfNeeded: generator.next() % 0x44))
            }
            duet.players[0].host.received(packet.span.bytes, at: duet.now + .milliseconds(round))
            if let deadline = duet.a.host.deadline { duet.players[0].host.advance(to: deadline) }
            _ = duet.players[0].host.takeOutbound()
            _ = duet.players[0].host.takeEvents()
            if duet.a.host.state == .resetting { duet.players[0].host.start(at: duet.now + .milliseconds(round)) }
        }
    }

    @Test func `advertisers without end do not grow the table without end`() {
        let simulation = Simulation()
        simulation.host.setScan(
            ScanDemand(services: nil, allowsDuplicates: true), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(1))
        simulation.forget()
        for number in 0..<5_000 as Range<UInt64> {
            var packet: [UInt8] = [4, 0x3E, 12 + 3, 2, 1, 3, 1]
            packet.append(u48: 0xC000_0000_0000 | number)
            packet += [3, 2, 1, 6, 0xC4]
            simulation.host.received(packet.span.bytes, at: simulation.now)
        }
        simulation.run(for: .seconds(1))
        #expect(simulation.advertisements.count == 5_000)
    }

    @Test func `a peer that asks faster than it listens loses its link`() {
        let simulation = connected()
        // Exchange MTU Request, again and again, with no completed packets in between.
        let request: [UInt8] = [2, 0x01, 0x20, 7, 0, 3, 0, 4, 0, 2, 23, 0]
        guard let handle = handle(of: simulation) else { Issue.record("no link"); return }
        var packet = request
        (packet[1], packet[2]) = (UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8) | 0x20)
        for _ in 0..<500 { simulation.host.received(packet.span.bytes, at: simulation.now) }
        simulation.run(for: .seconds(5)) { !simulation.host.hasLinks }
        #expect(!simulation.host.hasLinks)
    }

    @Test func `a peer that asks for new parameters again and again disturbs nobody else`() {
        let simulation = connected()
        guard let handle = handle(of: simulation) else { Issue.record("no link"); return }
        for identifier in 1...200 as ClosedRange<UInt8> {
            let packet: [UInt8] = [
                2, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8) | 0x20, 16, 0, 12, 0, 5, 0, 0x12, identifier,
                8, 0,
                6, 0, 12 + identifier % 5, 0, 0, 0, 100, 0,
            ]
            simulation.host.received(packet.span.bytes, at: simulation.now)
        }
        simulation.run(for: .seconds(5))
        #expect(simulation.host.state == .ready)
    }

    /// The connection handle of the only link: its data does not count as unknown.
    private func handle(of simulation: Simulation) -> UInt16? {
        (0..<0x0EFF as Range<UInt16>).first { handle in
            let before = simulation.host.counters.unknownHandles
            let probe: [UInt8] = [2, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8) | 0x10, 0, 0]
            simulation.host.received(probe.span.bytes, at: simulation.now)
            return simulation.host.counters.unknownHandles == before
        }
    }
}
