// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

@testable import VirtualRadio

@Suite struct RobustnessTests {
    @Test func theSameSeedGivesTheSameOctets() {
        func run(_ seed: UInt64) -> [UInt8] {
            let air = VirtualAir(seed: seed, settings: AirSettings(latency: .milliseconds(3), packetLoss: 0.1))
            let id = air.attachController(address: ScriptedHost.address)
            air.receive(unmask, from: id, at: .zero)
            for number in 1...4 as ClosedRange<UInt64> {
                let configuration = sensor(number: number, rate: 50)
                _ = air.addSensor(configuration)
                let entry: [UInt8] = [1] + u48(configuration.address.value)
                air.receive(h4(.leAddDeviceToFilterAcceptList, entry), from: id, at: .zero)
            }
            // By the Filter Accept List, 30 ms, 2 s.
            var create: [UInt8] = [0x60, 0, 0x60, 0, 1]
            create += [UInt8](repeating: 0, count: 8)
            create += [24, 0, 24, 0, 0, 0, 200, 0, 0, 0, 0, 0]
            let subscribe: [UInt8] = [9, 0, 5, 0, 4, 0, 0x12, 13, 0, 1, 0]
            var output = air.takeOutput(of: id)
            for step in 1...60 as ClosedRange<Int64> {
                let now = MonotonicTime(nanoseconds: step * 100_000_000)
                air.receive(h4(.leCreateConnection, create), from: id, at: now)
                for handle in 0x40...0x43 as ClosedRange<UInt8> {
                    air.receive([2, handle, 0] + subscribe, from: id, at: now)
                }
                output += air.takeOutput(of: id)
            }
            return output
        }
        let first = run(42)
        #expect(first.count > 10_000, "advertising, links and values")
        #expect(first == run(42))
        #expect(first != run(43))
    }

    /// Parameters that each command accepts, or at least reads to their end.
    static let wholeCommands: [(HCIOpcode, [UInt8])] =
        Array(commandRows.map { $0.before + [($0.opcode, $0.parameters)] }.joined())

    @Test(arguments: [false, true])
    func aCommandCutAnywhereIsRefusedOrWaitedFor(isExtended: Bool) {
        for (opcode, parameters) in Self.wholeCommands where opcode != .reset {
            for length in 0..<max(1, parameters.count) where !parameters.isEmpty {
                let air = VirtualAir(seed: 1)
                let host = ScriptedHost(air, settings: ControllerSettings(extendedAdvertising: isExtended))
                let answer = host.command(opcode, Array(parameters[..<length]))
                #expect(answer.first != nil && answer.first != 0, "\(opcode) with \(length) octets")
                // A cut packet whose header still announces the whole length: the controller must not act yet.
                let count = host.packets.count
                host.send(Array(h4(opcode, parameters).dropLast(parameters.count - length)))
                #expect(host.packets.count == count)
                host.send(Array(parameters[length...]))
                #expect(host.packets.count == count + 1)
            }
        }
    }

    @Test func everyOctetForItselfIsAsGoodAsAllAtOnce() {
        let stream = Self.wholeCommands.map { h4($0.0, $0.1) }.joined()
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        for octet in stream { host.send([octet]) }
        #expect(host.packets.count == Self.wholeCommands.count + host.packets.count { $0[1] == 0x3E })
        #expect(!air.violations(of: host.id).contains { $0.contains("credit") })
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func noiseNeverStopsTheAir(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let air = VirtualAir(seed: seed, settings: AirSettings(packetLoss: seed % 2 == 0 ? 0 : 0.2))
        let host = ScriptedHost(air, settings: ControllerSettings(extendedAdvertising: seed % 4 < 2))
        let sensor = air.addSensor(sensor(rate: 50))
        air.receive(unmask, from: host.id, at: air.now)
        let opcodes = VirtualController.commands.keys.sorted { $0.rawValue < $1.rawValue }
        for round in 0..<300 {
            var octets: [UInt8]
            switch random.below(4) {
            case 0:
                // A known command with parameters of about the right size.
                let opcode = opcodes[Int(random.below(Int64(opcodes.count)))]
                octets = (0..<random.below(40)).map { _ in UInt8(random.below(4)) }
                octets = h4(opcode, octets)
            case 1:
                let (opcode, parameters) = Self.wholeCommands[Int(random.below(Int64(Self.wholeCommands.count)))]
                octets = h4(opcode, parameters)
                if random.below(3) == 0, !parameters.isEmpty {
                    octets[4 + Int(random.below(Int64(parameters.count)))] = UInt8(truncatingIfNeeded: random.next())
                }
            case 2:
                // An L2CAP frame for the sensor, right or wrong.
                let pdu = (0..<random.below(30)).map { _ in UInt8(truncatingIfNeeded: random.next() & 0x1F) }
                let handle = UInt16(0x40 + random.below(3)) | UInt16(random.below(4)) << 12
                let frame = u16(UInt16(pdu.count)) + u16(UInt16(4 + random.below(3))) + pdu
                octets = [2] + u16(handle) + u16(UInt16(frame.count)) + frame
            default:
                octets = round % 50 == 49 ? (0..<20).map { _ in UInt8(truncatingIfNeeded: random.next()) } : []
            }
            air.receive(octets, from: host.id, at: air.now)
            air.advance(to: air.now + .milliseconds(random.below(200)))
            if round % 30 == 0 {
                air.receive(h4(.reset) + unmask, from: host.id, at: air.now)
            }
            host.run(.zero)
        }
        #expect(air.sensorStates().map(\.id) == [sensor])
    }

    @Test func attributePDUsCutAnywhereAreAnsweredOrIgnored() {
        let values = SensorValues(kind: .counter, signal: .counting)
        let pdus: [[UInt8]] = [
            [0x02, 0xF7, 0], [0x04, 1, 0, 0xFF, 0xFF], [0x06, 1, 0, 0xFF, 0xFF, 0, 0x28, 0x0F, 0x18],
            [0x08, 1, 0, 0xFF, 0xFF, 3, 0x28], [0x0A, 3, 0], [0x0C, 3, 0, 1, 0], [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28],
            [0x12, 13, 0, 1, 0], [0x52, 15, 0, 1, 2, 3], [0x16, 15, 0, 0, 0, 1, 2], [0x18, 1], [0x1E],
            [0x0E, 1, 0, 2, 0],
            [0xD2, 1, 0, 0], [0x1B, 1, 0], [0x20, 1, 0, 2, 0], [0xFF],
        ]
        for pdu in pdus {
            for length in 0...pdu.count {
                var server = AttributeServer(table: values.table(name: "x"))
                var store = AttributeServer.Store(current: { _ in [1, 2, 3] }, scratch: [])
                let (response, _) = server.receive(pdu[..<length], &store)
                let opcode = pdu[..<length].first ?? 0x1E
                if opcode & 0x41 == 0, opcode != 0x1E {
                    #expect(response != nil, "\(pdu[..<length])")
                } else {
                    #expect(response == nil, "\(pdu[..<length])")
                }
                #expect((response?.count ?? 0) <= server.mtu)
            }
        }
    }

    @Test func aBrokenStreamIsSkippedUpToTheNextReset() {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        host.send([0x77, 1, 2, 3, 1, 0x03])
        #expect(host.packets == [[4, 0x10, 1, 0]], "Hardware Error")
        #expect(air.violations(of: host.id).count == 1)
        host.send([0x0C, 0])
        #expect(host.packets.last == [4, 0x0E, 4, 1, 0x03, 0x0C, 0])
    }

    @Test func aHostThatDoesNotReadStopsItsSensors() throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        let id = air.addSensor(sensor(rate: 500))
        host.setUp()
        let handle = try host.connect(to: sensor().address)
        #expect(try host.request(handle, [0x12] + u16(13) + u16(1)) == [0x13])
        air.advance(to: air.now + .seconds(600))
        #expect(air.outputCount(of: host.id) < 40_000)
        let accepted = try #require(air.ledger(of: id)).accepted
        air.advance(to: air.now + .seconds(10))
        #expect(air.ledger(of: id)?.accepted == accepted, "nothing is produced for it")
        for sequence in 0..<3000 as Range<Int> {
            let notification = try host.nextATT(handle)
            #expect(Int(notification[3]) + Int(notification[4]) << 8 == sequence)
        }
        #expect(air.violations(of: host.id).isEmpty)
    }

    @Test func whatIsLetGoWithItsLinksUpIsGone() throws {
        weak var air: VirtualAir?
        weak var removed: VirtualSensor?
        weak var kept: VirtualSensor?
        weak var controller: VirtualController?
        try {
            let ours = VirtualAir(seed: 1)
            let host = ScriptedHost(ours)
            let ids = [1, 2].map { ours.addSensor(sensor(number: $0)) }
            host.setUp()
            for number in [1, 2] as [UInt64] { _ = try host.connect(to: sensor(number: number).address) }
            (air, removed, kept, controller) = (ours, ours.sensors[0], ours.sensors[1], ours.controllers[0])
            ours.detach(ids[0])
            // Its peer finds out by the supervision time-out.
            host.run(.seconds(60))
            #expect(removed == nil, "a sensor that was taken out of the air")
            #expect(kept?.bearer != nil)
        }()
        #expect(air == nil && kept == nil && controller == nil)
    }

    @Test func theLedgerKeepsTheLatest() {
        var ledger = SensorLedger(capacity: 100)
        for number in 0..<1000 as Range<UInt32> {
            let mark = ledger.accept([], sequence: number, of: CounterService.value, at: .zero)
            if number % 2 == 0 { ledger.deliver(mark) }
        }
        #expect(ledger.accepted == 1000)
        #expect(ledger.delivered == 500)
        #expect((75...100).contains(ledger.entries.count))
        #expect(ledger.entries.last?.sequence == 999)
        #expect(ledger.entries.allSatisfy { $0.isDelivered == ($0.sequence % 2 == 0) })
    }
}
