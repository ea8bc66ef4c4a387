// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatewayBench
@testable import MQTT

/// The broker's packets that the guard accepts, by the octet.
@Suite("Packet guard")
struct PacketGuardTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var packets: [[UInt8]]
        var version = 5
        /// The fault of the last packet; nil if all packets are accepted.
        var fault: String?

        var testDescription: String { "\(name) (\(version))" }
    }

    private static let accepted: [UInt8] = [0x20, 3, 0, 0, 0]
    private static let accepted3: [UInt8] = [0x20, 2, 0, 0]

    private static func text(_ identifier: UInt8, _ text: [UInt8]) -> [UInt8] {
        [identifier, UInt8(text.count >> 8), UInt8(text.count & 0xFF)] + text
    }

    private static func connack(_ properties: [UInt8], reason: UInt8 = 0) -> [UInt8] {
        [0x20, UInt8(3 + properties.count), 0, reason, UInt8(properties.count)] + properties
    }

    /// Message 7 is on its way.
    private static func puback(_ properties: [UInt8], id: UInt8 = 7) -> [UInt8] {
        [0x40, UInt8(4 + properties.count), 0, id, 0, UInt8(properties.count)] + properties
    }

    private static let letThrough: [Row] = [
        Row(name: "a plain acceptance", packets: [accepted]),
        Row(name: "a plain acceptance", packets: [accepted3], version: 3),
        Row(name: "a session that was kept", packets: [[0x20, 3, 1, 0, 0]]),
        Row(
            name: "everything that a broker may say of itself",
            packets: [
                connack(
                    [0x11, 0, 0, 14, 16] + text(0x12, [0x61]) + [0x13, 0, 30] + text(0x15, [0x61]) + text(0x16, [0xFF])
                        + text(0x1A, [0x61]) + text(0x1C, [0x61]) + text(0x1F, Array("ä".utf8))
                        + [0x21, 0, 20, 0x22, 0, 0, 0x24, 1, 0x25, 0] + text(0x26, [0x61]) + [0, 0]
                        + text(0x26, [0x61]) + [0, 1, 0x62] + [0x27, 0, 0, 4, 0, 0x28, 1, 0x29, 0, 0x2A, 1])
            ]),
        Row(name: "a refusal", packets: [connack(text(0x1F, [0x6E, 0x6F]), reason: 0x87)]),
        Row(name: "a refusal in words of MQTT 3.1.1", packets: [[0x20, 2, 0, 1]]),
        Row(name: "a refusal", packets: [[0x20, 2, 0, 5]], version: 3),
        Row(name: "acknowledgements", packets: [accepted, [0x40, 2, 0, 7, 0x40, 2, 1, 0]]),
        Row(name: "an acknowledgement", packets: [accepted3, [0x40, 2, 0, 7]], version: 3),
        Row(name: "a reason", packets: [accepted, [0x40, 3, 0, 7, 0x87, 0x40, 4, 0, 8, 0x10, 0]]),
        Row(name: "reasons in words", packets: [accepted, puback(text(0x1F, [0x61]) + text(0x26, [0x61]) + [0, 0])]),
        Row(name: "a goodbye", packets: [accepted, [0xE0, 0]]),
        Row(name: "a goodbye with a reason", packets: [accepted, [0xE0, 1, 0x8E]]),
        Row(name: "a goodbye with words", packets: [accepted, [0xE0, 6, 0x9D, 4, 0x1C, 0, 1, 0x61]]),
        Row(name: "an answer to a ping", packets: [accepted, [0xD0, 0, 0xD0, 0]]),
        Row(name: "a length of more octets than needed", packets: [accepted, [0xD0, 0x80, 0]]),
    ]

    private static let refused: [Row] = [
        Row(
            name: "unknown property", packets: [connack([0x7F, 0])], fault: "CONNACK has a property that MQTT does not"),
        Row(
            name: "unknown property", packets: [accepted, puback([0x7F, 0])], fault: "PUBACK has a property that MQTT"),
        Row(
            name: "unknown property", packets: [accepted, [0xE0, 4, 0, 2, 0x7F, 0]],
            fault: "DISCONNECT has a property that MQTT does not know (127)"),
        Row(
            name: "property identifier of two octets", packets: [connack([0x9F, 0, 0, 0])],
            fault: "CONNACK has a property that MQTT does not know (159)"),
        Row(
            name: "property of a message", packets: [connack([0x01, 0])],
            fault: "CONNACK must not have the property Payload Format Indicator"),
        Row(
            name: "property of CONNACK", packets: [accepted, puback([0x21, 0, 1])],
            fault: "PUBACK must not have the property Receive Maximum"),
        Row(
            name: "property of a client's DISCONNECT", packets: [accepted, [0xE0, 7, 0, 5, 0x11, 0, 0, 0, 1]],
            fault: "DISCONNECT must not have the property Session Expiry Interval"),
        Row(
            name: "property twice", packets: [connack([0x21, 0, 1, 0x21, 0, 1])],
            fault: "CONNACK has the property Receive Maximum twice"),
        Row(
            name: "no room for messages", packets: [connack([0x21, 0, 0])],
            fault: "CONNACK: Receive Maximum has a value"),
        Row(
            name: "no room for packets", packets: [connack([0x27, 0, 0, 0, 0])],
            fault: "CONNACK: Maximum Packet Size has a value"),
        Row(name: "a flag of 2", packets: [connack([0x25, 2])], fault: "CONNACK: Retain Available has a value"),
        Row(
            name: "half a number", packets: [connack([0x27, 0, 0])], fault: "CONNACK: input ends inside Maximum Packet"),
        Row(
            name: "a text that is longer than the packet", packets: [connack([0x1F, 0, 9, 0x61])],
            fault: "CONNACK: input ends inside Reason String"),
        Row(
            name: "not UTF-8", packets: [connack(text(0x1F, [0xC0, 0x80]))], fault: "CONNACK: Reason String has a value"
        ),
        Row(
            name: "a surrogate", packets: [connack(text(0x1F, [0xED, 0xA0, 0x80]))],
            fault: "CONNACK: Reason String has a value"),
        Row(
            name: "a null character", packets: [connack(text(0x1F, [0x61, 0]))], fault: "CONNACK: Reason String has a"),
        Row(
            name: "half a pair", packets: [connack(text(0x26, [0x61]))],
            fault: "CONNACK: input ends inside User Property"),
        Row(
            name: "properties beyond the end", packets: [[0x20, 3, 0, 0, 1]],
            fault: "CONNACK: Property Length has a value"),
        Row(
            name: "octets after the properties", packets: [[0x20, 4, 0, 0, 0, 0]],
            fault: "CONNACK: Property Length has a value"),
        Row(
            name: "a property length without end", packets: [[0x20, 7, 0, 0, 0x80, 0x80, 0x80, 0x80, 0]],
            fault: "CONNACK: Property Length has a value"),
        Row(name: "no properties", packets: [accepted3], fault: "CONNACK: input ends inside Property Length"),
        Row(name: "properties", packets: [accepted], version: 3, fault: "CONNACK: 1 octets too many"),
        Row(name: "reserved flags", packets: [[0x20, 3, 2, 0, 0]], fault: "CONNACK: Connect Acknowledge Flags"),
        Row(name: "nothing", packets: [[0x20, 0]], fault: "CONNACK: input ends inside Connect Acknowledge Flags"),
        Row(name: "a second acceptance", packets: [accepted, accepted], fault: "CONNACK was not asked for"),
        Row(name: "an acknowledgement first", packets: [[0x40, 2, 0, 7]], fault: "PUBACK was not asked for"),
        Row(name: "a goodbye first", packets: [[0xE0, 1, 0]], fault: "DISCONNECT was not asked for"),
        Row(name: "a goodbye", packets: [accepted3, [0xE0, 0]], version: 3, fault: "DISCONNECT was not asked for"),
        Row(
            name: "more after a goodbye", packets: [accepted, [0xE0, 0, 0xD0, 0]], fault: "PINGRESP was not asked for"),
        Row(
            name: "more after a refusal", packets: [[0x20, 3, 0, 0x87, 0], [0xD0, 0]], fault: "PINGRESP was not asked"),
        Row(
            name: "packet identifier 0", packets: [accepted, [0x40, 2, 0, 0]], fault: "PUBACK: Packet Identifier has"),
        Row(
            name: "half a packet identifier", packets: [accepted, [0x40, 1, 0]],
            fault: "PUBACK: input ends inside Packet"),
        Row(
            name: "a reason", packets: [accepted3, [0x40, 3, 0, 7, 0]], version: 3, fault: "PUBACK: 1 octets too many"),
        Row(
            name: "properties of a message that is not on its way", packets: [accepted, puback([0x1F, 0, 0], id: 8)],
            fault: "PUBACK is for a message that is not on its way (8)"),
        Row(
            name: "properties of a message that was acknowledged",
            packets: [accepted, [0x40, 2, 0, 7], puback([0x1F, 0, 0])],
            fault: "PUBACK is for a message that is not on its way (7)"),
        Row(name: "flags", packets: [accepted, [0x42, 2, 0, 7]], fault: "PUBACK has the flags 2"),
        Row(
            name: "an answer with something in it", packets: [accepted, [0xD0, 1, 0]],
            fault: "PINGRESP: 1 octets too many"),
        Row(name: "256 MiB", packets: [accepted, [0x30, 0xFF, 0xFF, 0xFF, 0x7F]], fault: "PUBLISH was not asked for"),
        Row(name: "256 MiB", packets: [[0x20, 0xFF, 0xFF, 0xFF, 0x7F]], fault: "CONNACK of 268435455 octets"),
        Row(name: "64 KiB and 1", packets: [accepted, [0xE0, 0x81, 0x80, 0x04]], fault: "DISCONNECT of 65537 octets"),
        Row(
            name: "a length without end", packets: [accepted, [0x40, 0x80, 0x80, 0x80, 0x80]],
            fault: "PUBACK has a length of more than four octets"),
    ]

    /// Each packet that a publisher never gets, with any flags.
    private static let unasked: [Row] = [0, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 15].flatMap { type in
        [Row(name: "type \(type)", packets: [accepted, [UInt8(type) << 4, 0]], fault: "was not asked for")]
    }

    private static func run(_ row: Row, cut: Int) -> String? {
        var packets = PacketGuard(hasProperties: row.version == 5)
        packets.expectAcknowledgement(of: 7)
        let stream = row.packets.flatMap { $0 }
        do throws(PacketFault) {
            for start in stride(from: 0, to: stream.count, by: cut) {
                try packets.check(stream[start..<min(start + cut, stream.count)])
            }
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: letThrough + refused + unasked)
    func `what is let through does not depend on how the stream is cut`(_ row: Row) {
        for cut in [1, 2, 3, 7, 1_000] {
            let fault = Self.run(row, cut: cut)
            guard let expected = row.fault else {
                #expect(fault == nil)
                continue
            }
            #expect(fault?.contains(expected) == true, "\(fault ?? "let through")")
        }
    }

    @Test func `a packet of the greatest length is let through`() throws {
        var packets = PacketGuard(hasProperties: true)
        let users = [UInt8](repeating: 0x26, count: 1) + [0, 0, 0, 0]
        // Two octets of reason and flags, three of Property Length, 65,530 of properties.
        let properties = (0..<13_106).flatMap { _ in users }
        let length = 5 + properties.count
        let stream: [UInt8] =
            [0x20, UInt8(length & 0x7F | 0x80), UInt8(length >> 7 & 0x7F | 0x80), UInt8(length >> 14), 0, 0]
            + [UInt8(properties.count & 0x7F | 0x80), UInt8(properties.count >> 7 & 0x7F | 0x80)]
            + [UInt8(properties.count >> 14)] + properties
        #expect((65_530...PacketGuard.longest).contains(length))
        for start in stride(from: 0, to: stream.count, by: 16_384) {
            try packets.check(stream[start..<min(start + 16_384, stream.count)])
        }
        try packets.check([0x40, 2, 0, 7])
    }

    @Test func `every truncation of a packet waits for its end`() throws {
        for row in Self.letThrough {
            let stream = row.packets.flatMap { $0 }
            for count in 0..<stream.count {
                var packets = PacketGuard(hasProperties: row.version == 5)
                packets.expectAcknowledgement(of: 7)
                try packets.check(stream[..<count])
                try packets.check(stream[count...])
            }
        }
    }
}

@Suite("TLS records")
struct TLSRecordTests {
    /// Messages of 0, 3 and 300 octets.
    private static let stream: [UInt8] =
        [22, 3, 3, 0, 0] + [23, 3, 3, 0, 3, 1, 2, 3] + [23, 3, 3, 1, 44] + [UInt8](repeating: 9, count: 300)

    @Test(arguments: [1, 2, 4, 5, 6, 9, 100, 1_000])
    func `no piece goes beyond a record's end, and nothing is left out`(cut: Int) {
        var records = TLSRecords()
        var ends: [Int] = []
        var place = 0
        for start in stride(from: 0, to: Self.stream.count, by: cut) {
            var rest = Self.stream[start..<min(start + cut, Self.stream.count)]
            while !rest.isEmpty {
                let count = records.next(rest)
                #expect((1...rest.count).contains(count))
                rest = rest.dropFirst(count)
                place += count
                ends.append(place)
            }
        }
        #expect(place == Self.stream.count)
        #expect(Set(ends).isSuperset(of: [5, 13, 318]))
    }
}
