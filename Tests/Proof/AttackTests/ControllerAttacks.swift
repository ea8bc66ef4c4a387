// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing
import VirtualRadio

@testable import HostBench

/// Controllers with false answers during the set-up, with late or missing answers, and with endless connections: rows 13, 14, 21, 51 and
/// 115.
struct ControllerAttacks {
    /// Sets a host up, with some answers of its controller changed on the way.
    private func setUp(_ change: ([UInt8]) -> [UInt8]) -> HostMachine {
        let air = VirtualAir(seed: 1)
        let controller = air.attachController(address: Bench.hostAddress)
        var host = HostMachine(randomAddress: DeviceAddress(kind: .random, value: 0xC000_0000_00FF))
        host.start(at: .zero)
        for _ in 0..<64 where host.state == .resetting && host.isStarting {
            air.receive(host.takeOutbound(), from: controller, at: .zero)
            var octets = air.takeOutput(of: controller)[...]
            while case .packet(_, let length) = H4Framer.next(Array(octets).span.bytes) {
                host.received(change(Array(octets.prefix(length))).span.bytes, at: .zero)
                octets = octets.dropFirst(length)
            }
        }
        return host
    }

    /// The answer to LE Read Buffer Size, or to Read Buffer Size.
    private static func isAnswer(_ packet: [UInt8], to opcode: UInt16) -> Bool {
        packet.count > 6 && packet[1] == 0x0E && Array(packet[4...5]) == little(opcode)
    }

    @Test func `row 13: CVE-2022-3806, no buffers or impossible ones`() throws {
        try AttackRecord.run(13, "CVE-2022-3806, CVE-2023-0397", file: #fileID) {
            for length in 0...30 as ClosedRange<UInt16> {
                for count in [0, 1, 255] as [UInt8] {
                    for withShared in [true, false] {
                        let host = setUp { packet in
                            var packet = packet
                            if Self.isAnswer(packet, to: 0x2002) {
                                packet.replaceSubrange(7..., with: little(length) + [count])
                            }
                            guard packet.count > 6, Array(packet[4...5]) == little(0x1005) else { return packet }
                            let shared: [UInt8] = withShared ? [251, 0, 0, 8, 0, 0, 0] : [0, 0, 0, 0, 0, 0, 0]
                            return [4, 0x0E, 11, 1] + little(0x1005) + [0] + shared
                        }
                        let isAsked = length == 0 || count == 0
                        let isEnough = isAsked ? withShared : length >= 27
                        try require(
                            host.state == (isEnough ? .ready : .resetting) && !host.isStarting,
                            "\(count) buffers of \(length), shared ones \(withShared): \(host.state)")
                    }
                }
            }
            // Each answer is cut at every octet, or is a refusal: the set-up ends, with success or failure.
            for length in 0..<80 {
                let host = setUp { packet in
                    guard packet[1] == 0x0E, packet.count > 7 + length else { return packet }
                    var packet = Array(packet.prefix(7 + length))
                    packet[2] = UInt8(packet.count - 3)
                    return packet
                }
                try require(!host.isStarting, "the set-up hangs with \(length) octets")
            }
            for status in [0x01, 0x0C, 0x1F] as [UInt8] {
                let host = setUp { packet in
                    guard packet[1] == 0x0E, packet.count > 6 else { return packet }
                    return [4, 0x0E, 4] + packet[3...5] + [status]
                }
                try require(!host.isStarting && host.state != .ready, "the set-up goes on")
            }
        }
    }

    @Test func `row 14: CVE-2023-1901, answers after the command was given up`() throws {
        try attack(14, "CVE-2023-1901, CVE-2023-1902", by: [.none]) { scene in
            let bench = scene.bench
            bench.swallows = { $0[0] == 1 }
            bench.host.setScan(ScanDemand(services: nil), for: Bench.client, at: bench.now)
            let isNoticed = bench.run(for: .seconds(3)) { bench.host.state == .resetting }
            try require(isNoticed && bench.host.counters.commandTimeouts == 1, "nobody notices")
            bench.host.setScan(nil, for: Bench.client, at: bench.now)
            bench.swallows = nil
            func late() {
                for opcode in [0x200B, 0x200C, 0x2005, 0x0406, 0x2016, 0x1405] as [UInt16] {
                    scene.tell(0x0E, [1] + little(opcode) + [0, 0, 0, 0])
                    scene.tell(0x0F, [0, 1] + little(opcode))
                    scene.tell(0x0E, [0] + little(opcode) + [0])
                }
            }
            late()
            try require(bench.host.state == .resetting && !bench.host.hasOutbound, "late answers had an effect")
            bench.host.start(at: bench.now)
            late()
            scene.tellConnection(AttackBench.nobody)
            try require(!bench.host.hasLinks, "a link came up before the set-up")
            try scene.recover()
        }
    }

    @Test func `row 21: CVE-2024-6657, ten thousand connections`() throws {
        try attack(21, "CVE-2024-6657", by: [.none]) { scene in
            let bench = scene.bench
            scene.controllerIsTrue = false
            for number in 0..<10_000 as Range<UInt64> {
                let peer = DeviceAddress(kind: .random, value: 0xC000_0100_0000 + number)
                let handle = AttackBench.nobody + UInt16(number % 200)
                scene.tellConnection(handle, role: UInt8(number % 2), to: peer)
                if number % 3 == 0 { scene.tellACL([3, 0, 4, 0, 0x0A, 0x22, 0], word: handle | 0x2000) }
                if number % 5 == 0 { scene.tellACL([100, 0, 4, 0, 0x0A], word: handle | 0x2000) }
                scene.tellDisconnection(handle)
                if number % 10 == 0 { bench.run(for: .milliseconds(2)) }
                if number % 1_000 == 0 {
                    try scene.thrives()
                    bench.events = []
                }
                if number == 1_000 {
                    bench.run(for: .seconds(5))
                    scene.remember()
                }
            }
            try require(bench.host.counters.restarts == 0 && bench.host.counters.commandTimeouts == 0, "it was reset")
        }
    }

    @Test func `row 51: absent peers, a thousand times`() throws {
        try attack(51, "absent peers", by: [.none]) { scene in
            let bench = scene.bench
            scene.controllerIsTrue = false
            var failures = 0
            for number in 0..<1_000 as Range<UInt64> {
                let peer = DeviceAddress(kind: .random, value: 0xC000_0200_0000 + number)
                bench.host.connect(peer, for: Bench.client, at: bench.now)
                bench.run(for: .milliseconds(20))
                if number % 20 == 0 {
                    for _ in 0..<9 {
                        scene.tellConnection(0, status: 0x3E, to: peer)
                        bench.run(for: .milliseconds(20))
                    }
                    failures +=
                        bench.events.filter { if case .connectionFailed(peer, _, _) = $0 { true } else { false } }.count
                } else {
                    bench.host.disconnect(peer, for: Bench.client, at: bench.now)
                    bench.run(for: .milliseconds(20))
                }
                bench.events = []
                if number == 100 {
                    bench.run(for: .seconds(5))
                    scene.remember()
                }
            }
            try require(failures == 50, "\(failures) failures were told")
        }
    }

    @Test func `row 115: SweynTooth, a controller that hangs or fails`() throws {
        let id =
            "CVE-2020-10069, CVE-2019-19193, CVE-2019-16336, CVE-2019-17519, CVE-2019-17060, CVE-2019-17061, "
            + "CVE-2020-10068"
        try attack(115, id, by: [.central, .none]) { scene in
            let bench = scene.bench
            // The controller takes packets and completes none; then it stops answering.
            bench.swallows = { _ in true }
            for _ in 0..<20 {
                bench.host.update(GuardedTable.updated, [1], on: bench.links, for: Bench.client, at: bench.now)
            }
            let isNoticed = bench.run(for: .seconds(40)) { bench.host.state == .resetting }
            try require(isNoticed, "nobody notices that the controller hangs")
            let lost = bench.events.filter { if case .linkDown(_, .hardwareFailure) = $0 { true } else { false } }.count
            try require(lost == (scene.side == .none ? 1 : 2), "\(lost) links are told to be lost")
            bench.swallows = nil
            try scene.recover()
            for code in [0x00, 0x42, 0xFF] as [UInt8] {
                scene.tell(0x10, [code])
                try require(bench.host.state == .resetting && !bench.host.hasLinks, "a failure is passed over")
                try scene.recover()
            }
            guard scene.side == .central else { return }
            try bench.advertise("02 01 06")
            bench.peer = scene.attacker
            try scene.enter()
        }
    }
}
