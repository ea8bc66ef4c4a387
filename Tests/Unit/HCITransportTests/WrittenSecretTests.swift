// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import HCITransport

@Suite("Written values of characteristics, in captures and in the flight recorder")
struct WrittenSecretTests {
    /// An ATT PDU on link 0x40 in pieces of so many octets of data.
    private static func packets(_ pdu: [UInt8], pieces: Int = 251) -> [[UInt8]] {
        var rest = ([UInt8(pdu.count & 0xFF), UInt8(pdu.count >> 8), 0x04, 0x00] + pdu)[...]
        var packets: [[UInt8]] = []
        while !rest.isEmpty {
            let part = rest.prefix(pieces)
            rest = rest.dropFirst(pieces)
            let flags: UInt8 = packets.isEmpty ? 0x20 : 0x10
            packets.append([0x02, 0x40, flags, UInt8(part.count), 0] + part)
        }
        return packets
    }

    private static func written(_ code: UInt8, _ value: [UInt8]) -> [UInt8] {
        [code, 0x21, 0x00] + (code == 0x16 || code == 0x17 ? [0, 0] : []) + value
    }

    private static let password = Array("geheimnis".utf8)

    private func recorded(_ packets: [[UInt8]], _ direction: BTSnoopWriter.Direction) -> [UInt8] {
        var ring = FlightRing(capacity: 0)
        for packet in packets { ring.record(packet.span.bytes, direction, microseconds: 0) }
        return ring.file()
    }

    private func captured(_ packets: [[UInt8]], _ direction: BTSnoopWriter.Direction) throws -> [UInt8] {
        let path = NSTemporaryDirectory() + "martlet-written-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try BTSnoopWriter(path: path)
        for packet in packets { writer.record(packet.span.bytes, direction) }
        writer.flush()
        // The packets alone: the times of a file are any octets.
        return try BTSnoopReader.records(of: [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))).records.flatMap(
            \.packet)
    }

    private static func holds(_ file: [UInt8]) -> Bool {
        // No two adjacent octets of the password, wherever it was cut.
        zip(password, password.dropFirst()).contains { one, other in
            zip(file, file.dropFirst()).contains { $0 == one && $1 == other }
        }
    }

    @Test(arguments: [0x12, 0x52, 0x16, 0xD2] as [UInt8], [251, 27, 9, 6, 5, 3, 2])
    func `what a phone writes is in neither, in whatever pieces it comes`(code: UInt8, pieces: Int) throws {
        let packets = Self.packets(Self.written(code, Self.password), pieces: pieces)
        #expect(!Self.holds(recorded(packets, .received)))
        #expect(try !Self.holds(captured(packets, .received)))
        // The link's next frame is its own.
        let value = Self.packets([0x1B, 0x21, 0x00] + Self.password)
        #expect(Self.holds(recorded(packets + value, .received)))
    }

    @Test(
        arguments: [
            [0x0B], [0x0D], [0x0F], [0x21, 9, 0], [0x09, 0x0B, 0x21, 0], [0x09, 0x0B, 0x21, 0, 2, 0x22, 0, 0x03, 0x2A],
            [0x23, 0x21, 0, 9, 0], [0x1B, 0x21, 0], [0x1D, 0x21, 0],
        ] as [[UInt8]], [251, 9, 5, 3, 2])
    func `what a phone reads is in neither, and what a sensor says is in both`(head: [UInt8], pieces: Int) throws {
        let packets = Self.packets(head + Self.password, pieces: pieces)
        #expect(!Self.holds(recorded(packets, .sent)))
        #expect(try !Self.holds(captured(packets, .sent)))
        #expect(pieces < 251 || Self.holds(recorded(packets, .received)))
        #expect(try pieces < 251 || Self.holds(captured(packets, .received)))
        // The end of a long value may be two digits.
        let end = Self.packets([0x0D] + Self.password.prefix(2), pieces: pieces)
        #expect(!Self.holds(recorded(end, .sent)))
    }

    @Test func `what is written back to it is in neither`() throws {
        let packets = Self.packets(Self.written(0x17, Self.password))
        #expect(!Self.holds(recorded(packets, .sent)))
        #expect(try !Self.holds(captured(packets, .sent)))
    }

    @Test func `what is written to a sensor is in a capture, which is made for it, and not in the recorder`() throws {
        let packets = Self.packets(Self.written(0x12, Self.password))
        #expect(!Self.holds(recorded(packets, .sent)))
        #expect(try Self.holds(captured(packets, .sent)))
    }

    @Test func `a subscription is in both, and so are values`() throws {
        let subscription = Self.packets(Self.written(0x12, [0x01, 0x00]))
        #expect(recorded(subscription, .sent).suffix(5) == [0x12, 0x21, 0x00, 0x01, 0x00])
        #expect(try captured(subscription, .received).suffix(5) == [0x12, 0x21, 0x00, 0x01, 0x00])
        #expect(Self.holds(recorded(Self.packets([0x1B, 0x21, 0x00] + Self.password), .received)))
    }
}
