// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import HCITransport
import Synchronization
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Octets from the controller which form no packet, or a too long packet: rows 6, 7, 9, 19 and 20.
struct TransportAttacks {
    /// Delivers the script's octets piece by piece.
    private final class ScriptedTransport: HCITransport {
        let descriptor: Int32 = -1
        let keepsPacketBorders: Bool
        private let pieces = Mutex<[[UInt8]]>([])

        init(keepsPacketBorders: Bool) { self.keepsPacketBorders = keepsPacketBorders }

        func put(_ octets: [UInt8]) { pieces.withLock { $0.append(octets) } }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
            pieces.withLock { pieces in
                guard let first = pieces.first else { return 0 }
                let count = min(first.count, buffer.count)
                buffer.copyBytes(from: first.prefix(count))
                pieces.removeFirst()
                if count < first.count, !keepsPacketBorders { pieces.insert(Array(first.dropFirst(count)), at: 0) }
                return count
            }
        }

        func write(_ octets: UnsafeRawBufferPointer) throws(TransportError) -> Int { octets.count }
        func close() {}
    }

    /// Reads all octets of the transport; returns the packets.
    private func receive(_ port: inout ControllerPort) throws -> (packets: [[UInt8]], receipt: ControllerPort.Receipt) {
        var packets: [[UInt8]] = []
        var total = ControllerPort.Receipt()
        while true {
            let before = packets.count
            let receipt = try port.receive(at: .zero) { packets.append($0.array(0..<$0.byteCount)) }
            total.octetsSkipped += receipt.octetsSkipped
            total.lostBorders = total.lostBorders || receipt.lostBorders
            guard receipt.isFull || packets.count > before else { return (packets, total) }
        }
    }

    /// A known packet without an effect.
    private static let harmless: [UInt8] = [4, 0x0E, 3, 1, 0, 0]

    @Test func `row 6: CVE-2025-53470, headers of the longest packets`() throws {
        try attack(6, "CVE-2025-53470") { scene in
            let handle = little(try scene.hostHandle() | 0x2000)
            let longest: [[UInt8]] = [
                [4, 0xFF, 255] + counting(255), [2] + handle + [0xFF, 0xFF] + counting(65_535),
                [3, 0, 0, 255] + counting(255), [1, 0, 0, 255] + counting(255),
                [5, 0, 0, 0xFF, 0x3F] + counting(0x3FFF),
            ]
            for packet in longest {
                // In pieces of any size, followed by a packet.
                for size in [1, 7, 4_096, 65_536, 100_000] where size > 1 || packet.count < 1_000 {
                    let transport = ScriptedTransport(keepsPacketBorders: false)
                    var port = ControllerPort(transport)
                    let octets = packet + Self.harmless
                    var seen: [[UInt8]] = []
                    for start in stride(from: 0, to: octets.count, by: size) {
                        transport.put(Array(octets[start...].prefix(size)))
                        seen += try receive(&port).packets
                    }
                    try require(seen == [packet, Self.harmless], "\(seen.map(\.count)) in pieces of \(size)")
                    // The rest never comes: our host notices by the time since the packet's beginning.
                    transport.put(Array(packet.dropLast()))
                    _ = try receive(&port)
                    try require(port.partialSince == .zero, "the beginning is not noted")
                }
                scene.tellRaw(packet)
            }
            try scene.answersStill()
        }
    }

    @Test func `row 7: CVE-2026-45811, packets of a packet transport of any length`() throws {
        try attack(7, "CVE-2026-45811", by: [.none]) { scene in
            let transport = ScriptedTransport(keepsPacketBorders: true)
            var port = ControllerPort(transport)
            for type in 0...255 as ClosedRange<UInt8> {
                for length in [1, 2, 3, 4, 5, 255, 65_544, 70_000] {
                    let packet = [type] + counting(length - 1, from: 0xF0)
                    scene.tellRaw(Array(packet.prefix(1_000)))
                    guard length < 10 || type < 6 else { continue }
                    transport.put(packet)
                    // A packet of no known kind: our host resets the controller, and then reads the next packet correctly.
                    if try receive(&port).receipt.lostBorders { port.beginAgain() }
                    transport.put(Self.harmless)
                    let packets = try receive(&port).packets
                    try require(packets == [Self.harmless], "type \(type), length \(length): the next packet is lost")
                }
            }
        }
    }

    @Test func `row 9: CVE-2020-10065, ACL data with another length than it has`() throws {
        try attack(9, "CVE-2020-10065") { scene in
            let handle = little(try scene.hostHandle() | 0x2000)
            let frame: [UInt8] = [3, 0, 4, 0, 0x0A, 0x22, 0]
            let before = scene.bench.host.counters.malformedPackets
            for length in [0, 1, 6, 8, 9, 255, 256, 0x7FFF, 0x8000, 0xFFFF] as [UInt16] {
                scene.tellRaw([2] + handle + little(length) + frame)
            }
            for length in 1...5 { scene.tellRaw(Array(([2] + handle + [7, 0]).prefix(length))) }
            let counted = scene.bench.host.counters.malformedPackets - before
            try require(counted == 10 + 5, "\(counted) are counted")
            try scene.bench.expectsNothing()
            try scene.answersStill()
        }
    }

    @Test func `row 19: BTstack 9e02d75bc, isochronous data`() throws {
        try attack(19, "BTstack 9e02d75bc") { scene in
            let handle = try scene.hostHandle()
            let before = scene.bench.host.counters.malformedPackets
            var count: UInt64 = 0
            for type in [5, 3, 1, 0, 6, 0xFF] as [UInt8] {
                for flags in [0, 0x1000, 0x2000, 0x4000, 0x7000] as [UInt16] {
                    for body in [[], [0], [0xFF, 0x3F], little(9) + counting(9), little(0x3FFF) + counting(3)]
                        as [[UInt8]]
                    {
                        scene.tellRaw([type] + little(handle | flags) + body)
                        count += 1
                    }
                }
            }
            try require(scene.bench.host.counters.malformedPackets == before + count, "not all are counted")
            try scene.bench.expectsNothing(for: .milliseconds(200))
            try scene.answersStill()
        }
    }

    @Test(.timeLimit(.minutes(5))) func `row 20: CVE-2020-13595, garbage between two packets`() async throws {
        let radio = VirtualRadio()
        defer { radio.stop() }
        let (host, client, states) = try await BluetoothHost.whole(on: radio, stateDirectory: nil)
        let before = states.all.count
        let controller = try #require(radio.controllerStates().first?.id)
        // No packet type, then a header that would swallow the next octets, then the radio's own packets.
        radio.simulateGarbage([0x77, 0x02, 0xFF, 0x0E, 0x00, 0x04, 0x3E, 0x41, 0x41], to: controller)
        host.perform { host in
            host.withMachine { machine, now in machine.setScan(ScanDemand(services: nil), for: client, at: now) }
        }
        await states.wait { $0.count > before && $0.last == .ready }
        let (seen, counters) = (states.all.dropFirst(before), host.counters)
        await host.ends()
        try AttackRecord.run(20, "CVE-2020-13595", file: #fileID) {
            let changes = seen.reduce(into: [HostState]()) { if $0.last != $1 { $0.append($1) } }
            try require(changes == [.resetting, .ready], "the state went \(changes)")
            try require(counters.restarts == 1, "\(counters.restarts) resets")
            try require(counters.octetsSkipped > 0, "nothing was skipped")
        }
    }
}
