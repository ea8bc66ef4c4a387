// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import HCI
import HCITransport
import Testing

struct TransportAddressTests {
    @Test(arguments: [
        ("hci0", TransportAddress.hci(0)), ("hci12", .hci(12)), ("unix:/run/h4.sock", .unix("/run/h4.sock")),
        ("tcp:127.0.0.1:6402", .tcp(host: "127.0.0.1", port: 6402)), ("tcp:[::1]:6402", .tcp(host: "::1", port: 6402)),
        ("serial:/dev/ttyAMA0,3000000", .serial(device: "/dev/ttyAMA0", baud: 3_000_000)),
    ])
    func `a controller is named by text`(text: String, address: TransportAddress) {
        #expect(TransportAddress(text) == address)
    }

    @Test(arguments: [
        "", "hci", "hcix", "tcp:6402", "tcp::6402", "tcp:host:0", "tcp:host:70000", "unix:", "serial:/dev/x",
    ])
    func `text that names no controller is refused`(text: String) {
        #expect(TransportAddress(text) == nil)
    }

    @Test func `what cannot be opened says why`() {
        #expect { try TransportAddress.unix("/nonexistent/socket").open() } throws: { error in
            (error as? TransportError)?.kind == .notFound
        }
        #expect { try TransportAddress.serial(device: "/dev/null", baud: 12345).open() } throws: { error in
            "\(error)".contains("12345 baud is not supported")
        }
    }
}

struct StreamTransportTests {
    @Test func `octets pass, an empty stream gives none, and its end is an error`() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let transport = try StreamTransport(adopting: ends[0])
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(try buffer.withUnsafeMutableBytes { try transport.read(into: $0) } == 0)
        let sent: [UInt8] = [1, 2, 3]
        #expect(try sent.withUnsafeBytes { try transport.write($0) } == 3)
        var received = [UInt8](repeating: 0, count: 16)
        #expect(Glibc.read(ends[1], &received, 16) == 3)
        #expect(Glibc.write(ends[1], sent, 2) == 2)
        #expect(try buffer.withUnsafeMutableBytes { try transport.read(into: $0) } == 2)
        Glibc.close(ends[1])
        #expect(throws: TransportError.self) { try buffer.withUnsafeMutableBytes { try transport.read(into: $0) } }
        #expect(throws: TransportError.self) { try sent.withUnsafeBytes { try transport.write($0) } }
        transport.close()
    }
}

struct BTSnoopTests {
    @Test func `a capture has the format's header and records, private to its owner, without keys`() throws {
        let path = NSTemporaryDirectory() + "martlet-\(UUID().uuidString).btsnoop"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try BTSnoopWriter(path: path)
        let reset = Reset().packet
        writer.record(reset.span.bytes, .sent)
        // LE Enable Encryption: handle, random number, diversifier, then the key.
        let key = [UInt8](repeating: 0xAB, count: 16)
        let encrypt: [UInt8] = [1, 0x19, 0x20, 28, 0x40, 0] + [UInt8](repeating: 1, count: 10) + key
        writer.record(encrypt.span.bytes, .sent)
        // Security Manager: Encryption Information.
        let distribution: [UInt8] = [2, 0x40, 0x20, 21, 0, 17, 0, 6, 0, 6] + key
        writer.record(distribution.span.bytes, .received)
        writer.flush()
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(Array(data.prefix(16)) == Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA])
        #expect(Array(data[16..<24]) == [0, 0, 0, 4, 0, 0, 0, 4])
        #expect(Array(data[24..<28]) == [0, 0, 0, 2])
        #expect(Array(data[40..<44]) == reset)
        #expect(data.range(of: Data(key.prefix(2))) == nil)
        #expect(data.range(of: Data([0x19, 0x20, 28, 0x40, 0, 1])) != nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `a capture that cannot be written ends, and says so once`() throws {
        let writer = try BTSnoopWriter(path: "/dev/full")
        let packet = [UInt8](repeating: 4, count: 100)
        // More than is gathered before a write.
        for _ in 0..<1_000 { writer.record(packet.span.bytes, .received) }
        #expect(writer.flush()?.message.isEmpty == false)
        writer.record(packet.span.bytes, .received)
        #expect(writer.flush() == nil)
    }

    /// H4 packets with the range of their secret octets, as Core 5.4, Vol 4, Part E, 7.7 and 7.8 lay them out.
    @Test(
        arguments: [
            ([1, 0x17, 0x20, 32], 4..<36, 36), ([1, 0x19, 0x20, 28], 16..<32, 32), ([1, 0x1A, 0x20, 18], 6..<22, 22),
            ([1, 0x27, 0x20, 39], 11..<43, 43), ([1, 0x68, 0x20, 31], 19..<35, 35), ([1, 0x69, 0x20, 36], 24..<40, 40),
            ([1, 0x6B, 0x20, 24], 8..<24, 26), ([4, 0x0E, 20, 1, 0x17, 0x20, 0], 7..<23, 23),
            ([4, 0x0E, 12, 1, 0x18, 0x20, 0], 7..<15, 15), ([4, 0x3E, 34, 0x09, 0], 5..<37, 37),
            ([4, 0x0E, 12, 1, 0x02, 0x20, 0], 0..<0, 15), ([1, 0x16, 0x20, 28], 0..<0, 32), ([4, 0x0E, 3], 0..<0, 6),
        ] as [([UInt8], Range<Int>, Int)])
    func `secrets of commands and events are zeros in the capture, and nothing else is`(
        head: [UInt8], secret: Range<Int>, length: Int
    ) throws {
        let path = NSTemporaryDirectory() + "martlet-\(UUID().uuidString).btsnoop"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try BTSnoopWriter(path: path)
        let packet = head + [UInt8](repeating: 0xAB, count: length - head.count)
        var expected = packet
        for index in secret { expected[index] = 0 }
        writer.record(packet.span.bytes, .sent)
        // Cut at every octet: the file has the same zeros, and nothing else.
        for count in 1..<length { writer.record(Array(packet.prefix(count)).span.bytes, .received) }
        writer.flush()
        var data = Array(try Data(contentsOf: URL(fileURLWithPath: path)).dropFirst(16 + 24))
        #expect(Array(data.prefix(length)) == expected)
        data.removeFirst(length)
        for count in 1..<length {
            #expect(Array(data.dropFirst(24).prefix(count)) == Array(expected.prefix(count)))
            data.removeFirst(24 + count)
        }
        #expect(data.isEmpty)
    }

    @Test func `a capture takes a file that was there from others' eyes, and follows no link`() throws {
        let path = NSTemporaryDirectory() + "martlet-\(UUID().uuidString).btsnoop"
        defer { for name in [path, path + ".link"] { try? FileManager.default.removeItem(atPath: name) } }
        try Data("before".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try FileManager.default.createSymbolicLink(atPath: path + ".link", withDestinationPath: path)
        #expect(throws: TransportError.self) { try BTSnoopWriter(path: path + ".link") }
        #expect(FileManager.default.contents(atPath: path) == Data("before".utf8))
        try BTSnoopWriter(path: path).flush()
        #expect(FileManager.default.contents(atPath: path)?.prefix(8) == Data("btsnoop\0".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    /// Frames with keys, in any fragments from a peer or a controller.
    @Test(arguments: 1...22) func `a key that comes in pieces is not in the capture`(size: Int) throws {
        let path = NSTemporaryDirectory() + "martlet-\(UUID().uuidString).btsnoop"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try BTSnoopWriter(path: path)
        let value: [UInt8] = [3, 0, 4, 0, 0x1B, 0xCD, 0xCD]
        let (other, sent) = ([2, 0x41, 0x20, 7, 0] + value, [2, 0x40, 0x20, 7, 0] + value)
        for (code, length) in [(0x03, 16), (0x04, 16), (0x06, 16), (0x07, 10), (0x08, 16), (0x09, 7), (0x0A, 16)]
            as [(UInt8, Int)]
        {
            let frame = [UInt8(length + 1), 0, 6, 0, code] + [UInt8](repeating: 0xAB, count: length)
            for start in stride(from: 0, to: frame.count, by: size) {
                let piece = frame[start..<min(start + size, frame.count)]
                let header: [UInt8] = [2, 0x40, start == 0 ? 0x20 : 0x10, UInt8(piece.count), 0]
                let packet = header + piece
                writer.record(packet.span.bytes, .received)
                // Another link, and the other direction, are in frames of their own.
                writer.record(other.span.bytes, .received)
                writer.record(sent.span.bytes, .sent)
            }
        }
        writer.flush()
        // Timestamps may have any octets: the test reads only the packets.
        var data = try Data(contentsOf: URL(fileURLWithPath: path)).dropFirst(16)
        var packets: [Data] = []
        while let length = data.dropFirst(3).first {
            packets.append(data.dropFirst(24).prefix(Int(length)))
            data = data.dropFirst(24 + Int(length))
        }
        #expect(!packets.contains { $0.contains(0xAB) })
        #expect(packets.count { $0.elementsEqual(other) } == packets.count / 3)
        #expect(packets.count { $0.elementsEqual(sent) } == packets.count / 3)
    }
}
