// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing
import VirtualRadio

@testable import HostBench

/// A controller with false counts of its buffers: rows 4, 5 and 72.
struct BufferAttacks {
    /// The host has more to send than the controller has buffers. The controller reports an overflow.
    private func flood(_ scene: AttackBench) throws {
        for number in 0..<40 as Range<UInt8> {
            scene.bench.host.writeCommand(
                [number], to: 3, on: try scene.bench.link, for: Bench.client, at: scene.bench.now)
        }
        scene.bench.run(for: .seconds(2))
        for number in 0..<40 as Range<UInt8> { try scene.bench.expects(att: [0x52, 3, 0, number]) }
    }

    private static let small = ControllerSettings(aclDataCount: 3)

    @Test func `row 4: CVE-2024-51569, more handles than the event holds`() throws {
        try attack(4, "CVE-2024-51569", controller: Self.small) { scene in
            let handle = try scene.hostHandle()
            for count in 2...255 as ClosedRange<UInt8> {
                scene.tell(0x13, [count] + little(handle) + [1, 0])
                scene.tell(0x13, [count])
                scene.tell(0x13, [count] + little(handle) + [1])
            }
            try flood(scene)
        }
    }

    @Test func `row 5: NimBLE 55c2d46e6, more packets completed than sent`() throws {
        try attack(5, "NimBLE 55c2d46e6", controller: Self.small) { scene in
            let handle = try scene.hostHandle()
            for count in [9, 0x7FFF, 0xFFFF] as [UInt16] {
                for _ in 0..<300 {
                    scene.tell(0x13, [2] + little(handle) + little(count) + little(handle) + little(count))
                }
                try flood(scene)
                // One packet is under way.
                scene.bench.host.writeCommand(
                    [1], to: 3, on: try scene.bench.link, for: Bench.client, at: scene.bench.now)
                scene.tell(0x13, [1] + little(handle) + little(count))
                try scene.bench.expects(att: "52 03 00 01")
                scene.bench.run(for: .seconds(1))
                try flood(scene)
            }
            try liesBeside(scene)
        }
    }

    /// Two links wait for room in the controller. A link frees at most its own packets, whatever number the controller reports. The
    /// controller never holds more packets than it has room for.
    private func liesBeside(_ scene: AttackBench) throws {
        let bench = scene.bench
        let (mine, other) = (try scene.hostHandle(), try scene.bystanderHandle())
        var held: [UInt16: Int] = [:]
        var sent: [UInt16: [UInt8]] = [:]
        // The test stands in for the controller, and alone completes packets.
        bench.swallows = { packet in
            guard packet[0] == 2 else { return false }
            let handle = (UInt16(packet[1]) | UInt16(packet[2]) << 8) & 0x0FFF
            held[handle, default: 0] += 1
            sent[handle, default: []].append(packet.last ?? 0)
            return true
        }
        defer { bench.swallows = nil }
        /// Completes these packets, and receives the host's next packets.
        func completes(_ entries: [(handle: UInt16, count: UInt16)]) {
            let items = entries.flatMap { little($0.handle) + little($0.count) }
            scene.tell(0x13, [UInt8(entries.count)] + items)
            for (handle, count) in entries { held[handle] = max(0, (held[handle] ?? 0) - Int(count)) }
            bench.run(for: .milliseconds(1))
        }
        let numbers = Array(0..<8 as Range<UInt8>)
        for lie in [9, 0x7FFF, 0xFFFF] as [UInt16] {
            (held, sent) = ([:], [:])
            for number in numbers {
                bench.host.writeCommand([number], to: 3, on: try bench.link, for: Bench.client, at: bench.now)
                bench.host.update(
                    GuardedTable.updated, [number], on: [scene.bystanderLink], for: Bench.client, at: bench.now)
            }
            bench.run(for: .milliseconds(1))
            try require(held.values.reduce(0, +) == 3, "at first \(held) are under way")
            for _ in 0..<300 { completes([(AttackBench.nobody, lie), (AttackBench.nobody + 1, lie)]) }
            try require(held.values.reduce(0, +) == 3, "\(held) are under way after lies about nobody")
            // Only one link has packets in the controller: the false counts for the other link must not free them.
            var turns = 0
            while sent.values.map(\.count).reduce(0, +) < 2 * numbers.count, turns < 64 {
                turns += 1
                let liar = turns % 2 == 0 ? mine : other
                completes([(liar, lie), (liar, lie)])
                let underWay = held.values.reduce(0, +)
                let waits = sent.values.map(\.count).reduce(0, +) < 2 * numbers.count
                try require(underWay <= 3, "\(underWay) packets are under way, and there is room for 3")
                try require(!waits || underWay >= 2, "\(underWay) packets are under way while others wait")
            }
            try require(sent == [mine: numbers, other: numbers], "sent \(sent)")
            // With no packet under way on the attacker's link, the report frees nothing, and the host saves nothing up for later.
            completes([(mine, 0xFFFF), (mine, 0xFFFF), (other, 0xFFFF)])
            for _ in 0..<300 { completes([(mine, lie), (other, lie), (AttackBench.nobody, lie)]) }
        }
    }

    @Test func `row 72: CVE-2026-11368, packets completed after the end`() throws {
        try attack(72, "CVE-2026-11368", controller: Self.small) { scene in
            let handle = try scene.hostHandle()
            for number in 0..<20 as Range<UInt8> {
                scene.bench.host.writeCommand(
                    [number], to: 3, on: try scene.bench.link, for: Bench.client, at: scene.bench.now)
            }
            try scene.leave()
            for _ in 0..<20 { scene.tell(0x13, [1] + little(handle) + [3, 0]) }
            try scene.enter()
            try flood(scene)
        }
    }
}
