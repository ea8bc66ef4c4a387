// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import HCITransport

@Suite("The part of a link's data in a capture and the flight recorder")
struct ToldOctetsTests {
    typealias Kind = ToldOctets.Kind

    /// An octet that no header has: where it is missing, the writer has blanked the octet.
    private static let mark: UInt8 = 0xEE

    /// The packets of a frame, cut into pieces of so many octets of data.
    private static func packets(_ channel: UInt16, _ pdu: [UInt8], pieces: Int = 4_096) -> [[UInt8]] {
        let frame =
            [UInt8(pdu.count & 0xFF), UInt8(pdu.count >> 8), UInt8(channel & 0xFF), UInt8(channel >> 8)] + pdu
        return stride(from: 0, to: frame.count, by: pieces).map { start in
            let part = frame[start..<min(start + pieces, frame.count)]
            return [0x02, 0x40, start == 0 ? 0x20 : 0x10, UInt8(part.count & 0xFF), UInt8(part.count >> 8)] + part
        }
    }

    /// The data of these packets in a file, in one piece.
    private static func told(_ packets: [[UInt8]], _ kind: Kind) -> [UInt8] {
        var redaction = KeyRedaction(ToldOctets(kind))
        return packets.flatMap { packet -> ArraySlice<UInt8> in
            var packet = packet
            for index in redaction.octets(of: packet.span.bytes) ?? 0..<0 { packet[index] = 0 }
            return packet.dropFirst(5)
        }
    }

    /// The number of a PDU's recorded octets.
    private static func count(_ channel: UInt16, _ code: UInt8, _ kind: Kind, length: Int = 64, pieces: Int = 4_096)
        -> Int
    {
        let pdu = [code] + [UInt8](repeating: mark, count: length - 1)
        let told = Self.told(packets(channel, pdu, pieces: pieces), kind).dropFirst(4)
        let rest = told.dropFirst().drop { $0 == mark }
        #expect(rest.allSatisfy { $0 == 0 }, "\(code) on \(channel) in \(kind): told in the middle")
        return told.first == 0 && code != 0 ? 0 : told.count - rest.count
    }

    /// The table's octets for every code; for other codes the file has the code alone.
    @Test(arguments: ToldOctets.Kind.allCases) func `attributes are told by the list of what is harmless`(kind: Kind) {
        var expected: [UInt8: Int] = [
            0x01: 5, 0x02: 3, 0x03: 3, 0x04: 5, 0x05: 64, 0x06: 7, 0x07: 64, 0x08: 21, 0x09: 4, 0x0A: 3, 0x0C: 5,
            0x0E: 64, 0x10: 21, 0x11: 64, 0x12: 3, 0x16: 5, 0x17: 5, 0x18: 2, 0x1B: 3, 0x1D: 3, 0x20: 64, 0x52: 3,
            0xD2: 3,
        ]
        switch kind {
        case .captureSent: for code in [0x06, 0x12, 0x16, 0x52] as [UInt8] { expected[code] = 64 }
        case .captureReceived: expected[0x17] = 64
        case .recorderSent, .recorderReceived: break
        }
        if kind == .captureReceived || kind == .recorderReceived {
            for code in [0x09, 0x0B, 0x0D, 0x0F, 0x1B, 0x1D, 0x21, 0x23] as [UInt8] { expected[code] = 64 }
        }
        for code in UInt8.min...UInt8.max {
            #expect(Self.count(0x0004, code, kind) == expected[code] ?? 1, "\(String(code, radix: 16))")
        }
    }

    /// A whole value of two octets is a subscription or a state; a part of two octets may be the end of a password.
    @Test(arguments: ToldOctets.Kind.allCases) func `only whole values may be told for being short`(kind: Kind) {
        let whole: Set<UInt8> = [0x06, 0x12, 0x52, 0x1B, 0x1D]
        for code in UInt8.min...UInt8.max {
            let count = Self.count(0x0004, code, kind)
            guard count < 62 else { continue }
            #expect(Self.count(0x0004, code, kind, length: count + 2) == count + (whole.contains(code) ? 2 : 0))
            #expect(Self.count(0x0004, code, kind, length: count + 3) == count)
        }
    }

    @Test(arguments: ToldOctets.Kind.allCases) func `pairing and signalling are told by their lists`(kind: Kind) {
        let pairing: Set<UInt8> = [0x01, 0x02, 0x05, 0x0B, 0x0C, 0x0D, 0x0E]
        let signals: Set<UInt8> = [0x01, 0x06, 0x07, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A]
        for code in UInt8.min...UInt8.max {
            #expect(Self.count(0x0006, code, kind) == (pairing.contains(code) ? 64 : 1), "\(code)")
            #expect(Self.count(0x0005, code, kind) == (signals.contains(code) ? 64 : 1), "\(code)")
        }
    }

    /// Applications' data, an enhanced ATT bearer, and channels that do not exist on LE links.
    @Test(arguments: ToldOctets.Kind.allCases) func `of every other channel only the length is told`(kind: Kind) {
        var redaction = KeyRedaction(ToldOctets(kind))
        let others = (UInt16.min...UInt16.max).filter { !(0x0004...0x0006).contains($0) }
        let told = others.filter { channel in
            // A code that is harmless on the ATT channel.
            let packet = Self.packets(channel, [0x0E] + [UInt8](repeating: Self.mark, count: 7))[0]
            return redaction.octets(of: packet.span.bytes) != 9..<17
        }
        #expect(told.isEmpty)
    }

    @Test(arguments: 1...9) func `fragments tell what their frame does, whatever their lengths`(pieces: Int) {
        for kind in Kind.allCases {
            for (channel, code) in [(0x0004, 0x16), (0x0004, 0x0F), (0x0004, 0x0E), (0x0006, 0x04), (0x0040, 0x0B)]
                as [(UInt16, UInt8)]
            {
                #expect(Self.count(channel, code, kind, pieces: pieces) == Self.count(channel, code, kind))
            }
        }
    }

    @Test(arguments: ToldOctets.Kind.allCases)
    func `a fragment without a beginning, and what is behind a frame's end, are blanked`(kind: Kind) {
        let request: [UInt8] = [3, 0, 4, 0, 0x0A, 0x21, 0x00]
        let more = [UInt8](repeating: Self.mark, count: 4)
        let blank = [UInt8](repeating: 0, count: 4)
        let begin: [UInt8] = [2, 0x40, 0x20, 11, 0]
        #expect(Self.told([[2, 0x40, 0x10, 4, 0] + more], kind) == blank)
        #expect(Self.told([begin + request + more], kind) == request + blank)
        #expect(Self.told([begin + request, [2, 0x40, 0x10, 4, 0] + more], kind) == request + blank)
        // A complete frame by its flag, which an LE link does not have.
        #expect(Self.told([[2, 0x40, 0x30, 7, 0] + request], kind) == [0, 0, 0, 0, 0, 0, 0])
        // A fragment on another link, which has begun no frame.
        #expect(
            Self.told([begin + request.prefix(4), [2, 0x41, 0x10, 3, 0] + request.suffix(3)], kind).suffix(3) == [
                0, 0, 0,
            ])
        // An empty frame, and an empty first fragment.
        #expect(Self.told([begin + [0, 0, 4, 0] + more], kind) == [0, 0, 4, 0] + blank)
        #expect(Self.told([begin, [2, 0x40, 0x10, 7, 0] + request], kind) == request)
    }

    /// A peer gives a key on the link.
    @Test func `the values of a hidden link are blanked until another link has its handle`() {
        var redaction = KeyRedaction(ToldOctets(.captureReceived))
        func told(_ link: UInt8) -> [UInt8] {
            var packet: [UInt8] = [2, link, 0x20, 9, 0, 5, 0, 4, 0, 0x0B, 1, 2, 3, 4]
            for index in redaction.octets(of: packet.span.bytes) ?? 0..<0 { packet[index] = 0 }
            return Array(packet.suffix(4))
        }
        func begin(_ link: UInt8, status: UInt8 = 0, subevent: UInt8 = 1) {
            let event: [UInt8] = [4, 0x3E, 19, subevent, status, link, 0] + [UInt8](repeating: 0, count: 15)
            #expect(redaction.octets(of: event.span.bytes) == nil)
        }
        #expect(told(0x40) == [1, 2, 3, 4])
        redaction.hideValues(on: 0x40)
        #expect(told(0x40) == [0, 0, 0, 0] && told(0x41) == [1, 2, 3, 4])
        begin(0x41)
        begin(0x40, status: 2)
        begin(0x40, subevent: 3)
        let disconnection: [UInt8] = [4, 5, 4, 0, 0x40, 0, 0x13]
        #expect(redaction.octets(of: disconnection.span.bytes) == nil)
        #expect(told(0x40) == [0, 0, 0, 0], "values may arrive behind the end")
        for subevent: UInt8 in [0x01, 0x0A, 0x29] {
            redaction.hideValues(on: 0x40)
            begin(0x40, subevent: subevent)
            #expect(told(0x40) == [1, 2, 3, 4])
        }
    }

    /// A new frame replaces an unfinished one: the old frame's list does not apply to it.
    @Test(arguments: ToldOctets.Kind.allCases) func `a frame that is cut off ends with the next`(kind: Kind) {
        let cut: [UInt8] = [2, 0x40, 0x20, 6, 0, 60, 0, 4, 0, 0x0E, 1]
        let secret = Self.packets(0x0004, [0xD2, 1, 1] + [UInt8](repeating: Self.mark, count: 20), pieces: 6)
        #expect(Self.told([cut] + secret, kind).suffix(20) == [UInt8](repeating: 0, count: 20))
    }

    @Test func `packets that are no commands, events or data of links are blanked`() {
        for kind in Kind.allCases {
            for type in UInt8.min...UInt8.max where ![1, 2, 4].contains(type) {
                var redaction = KeyRedaction(ToldOctets(kind))
                let packet = [type] + [UInt8](repeating: Self.mark, count: 8)
                #expect(redaction.octets(of: packet.span.bytes) == 1..<9, "\(type)")
            }
        }
    }

    /// Six digits after the first handle: all but the last were told while a list of declarations was shown in part.
    @Test func `a passkey that a phone reads by its type is blanked as a whole`() {
        let answer = [0x09, 0x08, 0x21, 0x00] + Array("593917".utf8)
        for kind in [Kind.captureSent, .recorderSent] {
            #expect(Self.told(Self.packets(0x0004, answer), kind).dropFirst(8) == [0, 0, 0, 0, 0, 0])
        }
    }
}
