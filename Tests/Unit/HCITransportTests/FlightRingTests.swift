// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCITransport
import Testing

struct FlightRingTests {
    private func record(_ octets: [UInt8], in ring: inout FlightRing, at microseconds: UInt64 = 0) {
        ring.record(octets.span.bytes, .received, microseconds: microseconds)
    }

    /// The packets of a btsnoop file, and the number of octets after the last record.
    private func packets(_ file: [UInt8]) -> (packets: [[UInt8]], rest: Int) {
        var (packets, offset): ([[UInt8]], Int) = ([], 16)
        while offset + 24 <= file.count {
            let length = file[(offset + 4)..<(offset + 8)].reduce(0) { $0 << 8 | Int($1) }
            guard offset + 24 + length <= file.count else { break }
            packets.append(Array(file[(offset + 24)..<(offset + 24 + length)]))
            offset += 24 + length
        }
        return (packets, file.count - offset)
    }

    @Test func `a ring gives a btsnoop file with time, direction and packet`() {
        var ring = FlightRing(capacity: 0)
        record([0x04, 0x10, 0x01, 0x42], in: &ring, at: 5)
        let header: [UInt8] = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA]
        let record: [UInt8] = [
            0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 0, 0x00, 0xDC, 0xDD, 0xB3, 0x0F, 0x2F, 0x80, 0x05,
        ]
        #expect(ring.file() == header + record + [0x04, 0x10, 0x01, 0x42])
    }

    @Test func `the oldest packets make room, whatever lengths they have, and the newest are whole`() {
        var ring = FlightRing(capacity: 0)
        var expected: [[UInt8]] = []
        for number in 0..<5000 {
            let packet = [0x04, 0xFF] + [UInt8](repeating: UInt8(number % 251), count: number * 37 % 260)
            expected.append(packet)
            record(packet, in: &ring)
        }
        let (kept, rest) = packets(ring.file())
        #expect(rest == 0)
        #expect(kept.count == ring.count)
        #expect(ring.overwritten == UInt64(5000 - ring.count))
        #expect(kept == Array(expected.suffix(kept.count)))
        // The number of packets that fit.
        let size = ring.file().count - 16
        #expect(size <= FlightRing.minimumCapacity)
        #expect(size > FlightRing.minimumCapacity - 2 * (24 + 262))
    }

    @Test func `keys are zeros, also across the end of the memory`() {
        // LE Enable Encryption: the key is the last 16 octets of 32.
        let packet: [UInt8] =
            [0x01, 0x19, 0x20, 28] + [UInt8](repeating: 0x11, count: 12) + [UInt8](repeating: 0xAA, count: 16)
        // The end of the memory falls on each octet of a record in turn.
        for shift in 0..<(24 + packet.count) {
            var ring = FlightRing(capacity: 0)
            record([UInt8](repeating: 0x04, count: shift), in: &ring)
            for _ in 0..<2400 { ring.record(packet.span.bytes, .sent, microseconds: 0) }
            let kept = packets(ring.file()).packets
            let zeros = Array(packet.prefix(16)) + [UInt8](repeating: 0, count: 16)
            #expect(kept.count > 2300 && kept.allSatisfy { $0 == zeros })
        }
    }

    @Test func `a packet that is longer than the memory is cut`() {
        var ring = FlightRing(capacity: 0)
        record([UInt8](repeating: 0x02, count: FlightRing.minimumCapacity + 1), in: &ring)
        record([0x04, 0x10, 0x00], in: &ring)
        #expect(packets(ring.file()).packets == [[0x04, 0x10, 0x00]])
    }
}
