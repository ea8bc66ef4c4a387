// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing
import TestSupport

/// Input that no client should send.
struct ServerHostileInputTests {
    private static let opcodes: [UInt8] = [
        0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2,
    ]

    /// Octets that are often a PDU, or nearly a PDU, with handles and types of the table.
    private static func octets(_ generator: inout SeededGenerator) -> [UInt8] {
        let types: [UInt16] = [0x2800, 0x2801, 0x2802, 0x2803, 0x2902, 0x2A6E, 0x2A6F, 0x2B2A, 0x2B29]
        var octets = [
            Int.random(in: 0..<8, using: &generator) == 0
                ? UInt8.random(in: 0...255, using: &generator) : opcodes.randomElement(using: &generator) ?? 0
        ]
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: octets.append(u16: UInt16.random(in: 0...0x45, using: &generator))
            case 1: octets.append(u16: types.randomElement(using: &generator) ?? 0)
            case 2: octets.append(UInt8.random(in: 0...3, using: &generator))
            default: octets.append(u16: UInt16.random(in: .min ... .max, using: &generator))
            }
        }
        return octets
    }

    @Test(arguments: 0..<20) func `hostile octets never trap, and every answer can be read and fits`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var bench = try ServerBench(limits: ServerLimits(waitingRequests: 3))
        var open: [ServerRequestID] = []
        for round in 0..<3000 {
            bench.now = bench.now + .milliseconds(1)
            if Int.random(in: 0..<100, using: &generator) == 0 {
                bench.security = LinkSecurity(
                    isEncrypted: .random(using: &generator), isAuthenticated: .random(using: &generator),
                    keySize: 16, isAuthorized: .random(using: &generator))
            }
            let pdu = Self.octets(&generator)
            var effects = bench.machine.received(pdu[...], in: bench.context)
            effects +=
                bench.machine.notify(
                    [1, 2, 3], of: UInt16.random(in: 0x20...0x2A, using: &generator), in: bench.context
                ).effects
            if round % 300 == 299 { effects += try bench.change().1 }
            open += effects.reads.map(\.id) + effects.writes.compactMap(\.id)
            while Bool.random(using: &generator), let id = open.popLast() {
                let value = [UInt8](repeating: 7, count: Int.random(in: 0...600, using: &generator))
                let more =
                    bench.machine.answerRead(id, .success(value), in: bench.context).effects
                    + bench.machine.answerWrite(id, in: bench.context).effects
                open += more.reads.map(\.id) + more.writes.compactMap(\.id)
                effects += more
            }
            for case .send(let octets) in effects {
                #expect(octets.count <= bench.machine.mtu)
                #expect(throws: Never.self) { try ATTPDU(decoding: octets[...]) }
            }
        }
        #expect(!bench.machine.isClosed)
    }

    @Test func `every request is answered once, and in the order of the requests`() throws {
        var generator = SeededGenerator(seed: 99)
        var bench = try ServerBench()
        for _ in 0..<5000 {
            let pdu = Self.octets(&generator)
            let opcode = ATTOpcode(rawValue: pdu[0])
            var effects = bench.machine.received(pdu[...], in: bench.context)
            var answers: [String] = []
            while !effects.isEmpty {
                answers += effects.sent.isEmpty ? [] : [effects.sent]
                var next: [GATTServerMachine.Effect] = []
                for read in effects.reads {
                    next += bench.machine.answerRead(read.id, .success([1]), in: bench.context).effects
                }
                for write in effects.writes {
                    guard let id = write.id else { continue }
                    next += bench.machine.answerWrite(id, in: bench.context).effects
                }
                effects = next
            }
            let isRequest = !opcode.isCommand && !opcode.isResponseOrUpdate && opcode != .confirmation
            #expect(answers.count == (isRequest ? 1 : 0), "\(pdu.hexadecimal)")
        }
    }

    @Test func `every prefix of a request is answered or passed over`() throws {
        for row in ServerRequestTests.rows {
            let octets = try #require([UInt8](hexadecimal: row.request))
            for count in 0...octets.count {
                var bench = try ServerBench()
                for case .send(let answer) in bench.machine.received(octets[..<count], in: bench.context) {
                    #expect(throws: Never.self) { try ATTPDU(decoding: answer[...]) }
                }
            }
        }
    }

    @Test func `a table of a thousand attributes is read and discovered to its end`() throws {
        var bench = try ServerBench(mtu: 247, services: false)
        for index in 0..<40 {
            let characteristics = (0..<8).map { item in
                LocalCharacteristic(
                    uuid: BluetoothUUID(UInt16(0x2A00 + item)), properties: [.read, .notify],
                    value: [UInt8(index), UInt8(item)])
            }
            _ = try bench.database.add(
                LocalService(uuid: BluetoothUUID(UInt16(0x1810 + index)), characteristics: characteristics),
                owner: ServerBench.first)
        }
        #expect(bench.database.attributes.count == 40 * 25 + 19)
        for service in bench.database.services.dropFirst(2) {
            for characteristic in service.characteristics {
                let handle = characteristic.valueHandle
                let read = bench.machine.received(
                    ATTPDU.readRequest(handle: handle).encoded[...], in: bench.context)
                #expect(read.sent.hasPrefix("0b"))
                let configuration = try #require(characteristic.configurationHandle)
                _ = bench.machine.received(
                    ATTPDU.writeRequest(handle: configuration, value: [1, 0]).encoded[...], in: bench.context)
                #expect(bench.machine.notify([1], of: handle, in: bench.context).outcome == .sent)
            }
        }
        var found = 0
        var start: UInt16 = 1
        while case .send(let octets)? = bench.machine.received(
            ATTPDU.readByTypeRequest(start: start, end: .max, type: BluetoothUUID(UInt16(0x2803))).encoded[...],
            in: bench.context
        ).first, case .readByTypeResponse(let list) = try ATTPDU(decoding: octets[...]) {
            found += list.count
            start = (list.last?.handle ?? .max) &+ 1
        }
        #expect(found == 320 + 8)
    }
}
