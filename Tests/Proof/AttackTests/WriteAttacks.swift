// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothHost
import GATT
import HCI
import Testing

@testable import HostBench

/// A client's attacks on our server through writes and disconnections: rows 52, 55, 60, 61, 64, 70, 73 and 78.
struct WriteAttacks {
    private func prepares(_ scene: AttackBench, _ handle: UInt16, at offset: UInt16, _ value: [UInt8]) throws {
        try scene.bench.send(att: [0x16] + little(handle) + little(offset) + value)
        try scene.bench.expects(att: [0x17] + little(handle) + little(offset) + value)
    }

    @Test func `row 52: CVE-2024-24746, transactions left open, and a link that does not end`() throws {
        try attack(52, "CVE-2024-24746") { scene in
            let bench = scene.bench
            // A prepared write, and half a frame, and then nothing.
            try prepares(scene, GuardedTable.long, at: 0, counting(18))
            try scene.attacker.sendACL([100, 0, 4, 0, 0x12])
            bench.run(for: .seconds(120))
            try scene.thrives()
            try scene.reenter()
            // The owner does not answer the request, and the controller refuses to end the link.
            scene.owner.holdsAnswers = true
            try bench.send(att: [0x0A] + little(GuardedTable.long))
            bench.run(for: .seconds(28))
            var refused = 0
            let opcode = little(HCIOpcode.disconnect.rawValue)
            bench.swallows = { packet in
                guard packet[0] == 1, Array(packet[1...2]) == opcode else { return false }
                refused += 1
                return true
            }
            for _ in 0..<40 {
                let before = refused
                bench.run(for: .milliseconds(500)) { refused > before }
                if refused > before { scene.tell(0x0F, [0x0C, 1] + opcode) }
            }
            try require((3...12).contains(refused), "the end was asked for \(refused) times")
            try scene.thrives()
            bench.swallows = nil
            let isGone = bench.run(for: .seconds(5)) { scene.attacker.handles.isEmpty }
            try require(isGone, "the link does not end")
            scene.owner.holdsAnswers = false
            try scene.enter()
            // The controller reports an unknown link, because it has lost the link.
            bench.swallows = { packet in packet[0] == 1 && Array(packet[1...2]) == opcode }
            bench.host.endLink(try bench.link, at: bench.now)
            bench.run(for: .milliseconds(100))
            scene.tell(0x0F, [0x02, 1] + opcode)
            bench.run(for: .milliseconds(100))
            bench.swallows = nil
            try require(bench.host.security(of: try bench.link) == nil, "the link is still there")
            try scene.leave()
            scene.controllerIsTrue = false
        }
    }

    @Test func `row 55: NimBLE 24a3d58ce, client features that are empty, long and taken back`() throws {
        try attack(55, "NimBLE 24a3d58ce") { scene in
            let bench = scene.bench
            func features(_ expected: String) throws {
                try bench.send(att: "0A 15 00")
                try bench.expects(att: OctetPattern("0B \(expected)"))
            }
            try scene.asks([0x12, 0x15, 0], refused: 0x0D, at: 0x15)
            try features("00")
            try bench.send(att: "12 15 00 05")
            try bench.expects(att: "13")
            for value in [0x00, 0x01, 0x04, 0xFA] as [UInt8] {
                try scene.asks([0x12, 0x15, 0, value], refused: 0x13, at: 0x15)
                try scene.asks([0x12, 0x15, 0, value] + counting(15), refused: 0x13, at: 0x15)
            }
            try features("05")
            // In parts of 600 octets together, and after a gap.
            for offset in stride(from: 0, to: 600, by: 18) {
                try prepares(scene, 0x15, at: UInt16(offset), counting(18))
            }
            try bench.send(att: "18 01")
            try bench.expects(att: "01 18 15 00 ??")
            try prepares(scene, 0x15, at: 2, [0])
            try scene.asks([0x18, 1], refused: 0x07, at: 0x15)
            try bench.send(att: "52 15 00 00")
            try features("05")
            try scene.reenter(mtu: 517)
            try features("00")
            try bench.send(att: [0x12, 0x15, 0, 0] + counting(510))
            try bench.expects(att: "*")
            try features("00")
        }
    }

    @Test func `row 60: CVE-2022-0204, parts that add up to too much`() throws {
        try attack(60, "CVE-2022-0204") { scene in
            let bench = scene.bench
            let long = GuardedTable.long
            // Offset, value, the refusal at the end.
            let rows: [(UInt16, UInt16, Int, UInt8)] = [
                (long, 510, 18, 0x0D), (long, 512, 1, 0x0D), (long, 513, 0, 0x07), (long, 513, 1, 0x07),
                (long, 0x7FFF, 18, 0x07), (long, 0xFFFF, 18, 0x07), (long, 0xFFF0, 18, 0x07),
                (GuardedTable.writable, 0, 11, 0x0D), (GuardedTable.writable, 1, 10, 0x0D),
                (GuardedTable.writable, 1, 18, 0x0D), (GuardedTable.writable, 2, 1, 0x07),
                (GuardedTable.writable, 11, 0, 0x07), (GuardedTable.writable, 0xFFFF, 0, 0x07),
            ]
            for (handle, offset, count, error) in rows {
                // After a valid part.
                try prepares(scene, GuardedTable.writable, at: 0, [1])
                try prepares(scene, handle, at: offset, counting(count))
                try scene.asks([0x18, 1], refused: error, at: handle)
                try bench.send(att: "18 01")
                try bench.expects(att: "19")
            }
            for offset in stride(from: 0, to: 522, by: 18) {
                try prepares(scene, long, at: UInt16(offset), [UInt8](repeating: 9, count: 18))
            }
            try scene.asks([0x18, 1], refused: 0x0D, at: long)
            try require(scene.owner.writes.isEmpty, "something was written: \(scene.owner.writes)")
        }
    }

    @Test func `row 61: prepare queue, filled and left`() throws {
        try attack(61, "prepare queue") { scene in
            for round in 0..<3 {
                for index in 0..<128 {
                    let handle = index % 2 == 0 ? GuardedTable.long : GuardedTable.writable
                    try prepares(scene, handle, at: UInt16(index), counting(round))
                }
                for _ in 0..<10 {
                    try scene.asks(
                        [0x16] + little(GuardedTable.long) + [0, 0, 1], refused: 0x09, at: GuardedTable.long)
                }
                try scene.thrives()
                guard round < 2 else { break }
                try scene.bench.send(att: "18 00")
                try scene.bench.expects(att: "19")
            }
            // The prepared write ends with the link: the next peer cannot execute it.
            try scene.reenter(mtu: 517)
            for part in 0..<8 as Range<UInt16> { try prepares(scene, GuardedTable.long, at: part, counting(512)) }
            try scene.asks([0x16] + little(GuardedTable.long) + [0, 0, 1], refused: 0x09, at: GuardedTable.long)
            scene.bench.run(for: .seconds(60))
            try scene.reenter()
            try scene.bench.send(att: "18 01")
            try scene.bench.expects(att: "19")
            try require(scene.owner.writes.isEmpty, "something was written: \(scene.owner.writes)")
        }
    }

    @Test func `row 64: CVE-2024-0039, an application's value that is longer than the MTU`() throws {
        try attack(64, "CVE-2024-0039") { scene in
            let bench = scene.bench
            for mtu in [23, 24, 100, 517] as [UInt16] {
                try scene.reenter(mtu: mtu)
                for (kind, opcode) in [(1, 0x1B), (2, 0x1D)] as [(UInt8, UInt8)] {
                    try bench.send(att: [0x12] + little(GuardedTable.updatedConfiguration) + [kind, 0])
                    try bench.expects(att: "13")
                    for count in [0, Int(mtu) - 4, Int(mtu) - 3, Int(mtu) - 2, 600, 70_000] {
                        bench.host.update(
                            GuardedTable.updated, counting(count), on: [try bench.link], for: Bench.client,
                            at: bench.now)
                        let seen = try bench.expects(att: "*")
                        let value = counting(min(count, Int(mtu) - 3))
                        try require(
                            seen == [opcode] + little(GuardedTable.updated) + value,
                            "\(seen.count) octets for a value of \(count)")
                        if kind == 2 { try bench.send(att: "1E") }
                    }
                }
            }
        }
    }

    @Test func `row 70: CVE-2021-43400, the link ends before the application has answered`() throws {
        try attack(70, "CVE-2021-43400") { scene in
            let (bench, owner) = (scene.bench, scene.owner)
            owner.holdsAnswers = true
            let (long, writable) = (little(GuardedTable.long), little(GuardedTable.writable))
            let requests: [[UInt8]] = [
                [0x0A] + long, [0x0C] + long + [9, 0], [0x08, 1, 0, 0xFF, 0xFF, 0xF4, 0xFF],
                [0x0E] + long + writable, [0x20] + long + long, [0x12] + writable + [1], [0x18, 1],
            ]
            for request in requests {
                if request[0] == 0x18 { try prepares(scene, GuardedTable.long, at: 0, [1]) }
                try bench.send(att: request)
                bench.run(for: .milliseconds(500))
                try scene.reenter()
                try scene.answersStill()
            }
            try require(owner.heldReads.count == 5 && owner.heldWrites.count == 2, "the owner was not asked")
            for request in owner.heldReads {
                let isTaken = bench.host.answer(read: request, .success([1]), at: bench.now)
                try require(!isTaken, "an answer was taken after the end")
            }
            for request in owner.heldWrites {
                let isTaken = bench.host.answer(write: request, nil, at: bench.now)
                try require(!isTaken, "an answer was taken after the end")
            }
            try bench.expectsNothing(for: .milliseconds(300))
        }
    }

    @Test func `row 73: CVE-2021-3455, invalid requests and the end at once`() throws {
        try attack(73, "CVE-2021-3455") { scene in
            let bench = scene.bench
            for frame in ["00", "0A", "FF FF FF", "16 00 00", "12 2D 00 01", "18 07", "1E", "D2 24 00 01"] {
                try bench.send(att: frame)
                try scene.reenter()
                try scene.answersStill()
            }
            // Enhanced bearers, of which there are none: their SPSM is not published.
            try bench.request(spsm: 0x0027)
            try bench.refused(0x02)
            try bench.send(signalling: "17 02 0A 00 27 00 40 00 40 00 08 00 50 00")
            try bench.expects(signalling: "01 02 02 00 00 00")
            for channel in 0x40..<0x44 as Range<UInt16> { try scene.attacker.send([0x0A, 0, 0xFF], on: channel) }
            try bench.expectsNothing(for: .milliseconds(300))
        }
    }

    @Test func `row 78: Silabs GHSA-5x9h, parts of no and of every octet`() throws {
        try attack(78, "Silabs GHSA-5x9h") { scene in
            for mtu in [23, 100, 517] as [UInt16] {
                try scene.reenter(mtu: mtu)
                let most = Int(mtu) - 5
                for count in [0, 1, most - 1, most] {
                    try prepares(scene, GuardedTable.long, at: 0, counting(count))
                }
                if mtu < 500 {
                    for count in [most + 1, most + 2, most + 60] {
                        try scene.asks(
                            [0x16] + little(GuardedTable.long) + [0, 0] + counting(count), refused: 0x04, at: 0)
                    }
                }
                for length in 0..<4 { try scene.asks([0x16] + counting(length), refused: 0x04, at: 0) }
                try scene.bench.send(att: "18 00")
                try scene.bench.expects(att: "19")
                for flags in [2, 0x80, 0xFF] as [UInt8] { try scene.asks([0x18, flags], refused: 0x04, at: 0) }
                try scene.asks([0x18], refused: 0x04, at: 0)
            }
        }
    }
}
