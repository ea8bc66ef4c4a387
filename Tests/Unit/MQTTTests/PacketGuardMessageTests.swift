// SPDX-License-Identifier: Apache-2.0

import FuzzSeeds
import Testing

@testable import MQTT

/// The messages that the guard accepts, by the octet.
@Suite("Packet guard of subscribers")
struct PacketGuardMessageTests {
    private static let accepted: [UInt8] = [0x20, 3, 0, 0, 0]
    private static let kept: [UInt8] = [0x20, 3, 1, 0, 0]

    private static func guarded(version: Int = 5, continuesSession: Bool = false) -> PacketGuard {
        PacketGuard(
            hasProperties: version == 5,
            messages: .init(longest: MessageStream.longest, continuesSession: continuesSession))
    }

    private static func fault(
        of octets: [UInt8], in packets: inout PacketGuard, cut: Int = .max
    ) -> String? {
        var rest = octets[...]
        do throws(PacketFault) {
            while !rest.isEmpty {
                try packets.check(rest.prefix(cut))
                rest = rest.dropFirst(cut)
            }
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: MessageStream.letIn + MessageStream.faults)
    func `what is let in does not depend on how the stream is cut`(_ stream: MessageStream) {
        let accepted: [UInt8] = stream.version == 5 ? Self.accepted : [0x20, 2, 0, 0]
        let octets = accepted + stream.packets.flatMap { $0 }
        let seed = FuzzFormats.subscriber | (stream.version == 5 ? 1 : 0)
        if octets.count < 512 { SeedFolder.current?.write([seed] + octets, for: "mqtt") }
        for cut in [1, 2, 3, 7, 100_000] {
            var packets = Self.guarded(version: stream.version)
            packets.expectSubscription(1, filters: 1)
            let fault = Self.fault(of: octets, in: &packets, cut: cut)
            guard let expected = stream.fault else {
                #expect(fault == nil)
                continue
            }
            #expect(fault?.contains(expected) == true, "\(fault ?? "let in")")
        }
    }

    @Test func `a fault does not come later than its packet, and nothing before it is one`() {
        for stream in MessageStream.faults {
            var packets = Self.guarded(version: stream.version)
            packets.expectSubscription(1, filters: 1)
            #expect(Self.fault(of: stream.version == 5 ? Self.accepted : [0x20, 2, 0, 0], in: &packets) == nil)
            for packet in stream.packets.dropLast() { #expect(Self.fault(of: packet, in: &packets) == nil) }
            #expect(Self.fault(of: stream.packets.last ?? [], in: &packets) != nil, "\(stream.name)")
        }
    }

    @Test func `every truncation of a message waits for its end`() throws {
        for stream in MessageStream.letIn where stream.version == 5 {
            let octets = Self.accepted + stream.packets.flatMap { $0 }
            for count in 0..<octets.count {
                var packets = Self.guarded()
                packets.expectSubscription(1, filters: 1)
                try packets.check(octets[..<count])
                try packets.check(octets[count...])
            }
        }
    }

    @Test func `a connection that takes no messages lets none in, whatever the session was`() {
        for acceptance in [Self.accepted, Self.kept] {
            var packets = PacketGuard(hasProperties: true)
            #expect(Self.fault(of: acceptance, in: &packets) == nil)
            #expect(Self.fault(of: BrokerPacket.publish(), in: &packets) == "PUBLISH was not asked for")
        }
    }

    @Test func `without a subscription no message is let in`() {
        var packets = Self.guarded(continuesSession: true)
        #expect(Self.fault(of: Self.accepted + BrokerPacket.publish(), in: &packets) == "PUBLISH was not asked for")
    }

    @Test func `messages of a session that was kept are let in, unless it was to be forgotten`() {
        var continued = Self.guarded(continuesSession: true)
        #expect(Self.fault(of: Self.kept + BrokerPacket.publish(), in: &continued) == nil)
        var begun = Self.guarded(continuesSession: false)
        #expect(Self.fault(of: Self.kept + BrokerPacket.publish(), in: &begun) == "PUBLISH was not asked for")
    }

    @Test func `messages may come after their subscription has ended`() {
        var packets = Self.guarded()
        packets.expectSubscription(1, filters: 1)
        #expect(Self.fault(of: Self.accepted + BrokerPacket.suback([1]), in: &packets) == nil)
        packets.expectEnd(2, filters: 1)
        #expect(Self.fault(of: BrokerPacket.unsuback([0], id: 2) + BrokerPacket.publish(), in: &packets) == nil)
    }

    @Test(
        arguments: [
            ("as many codes as filters", 5, BrokerPacket.unsuback([0, 0x11], id: 2), nil),
            ("no codes", 3, BrokerPacket.unsuback([], id: 2, properties: nil), nil),
            ("refused", 5, BrokerPacket.unsuback([0x87, 0x80], id: 2), nil),
            ("a code too few", 5, BrokerPacket.unsuback([0], id: 2), "UNSUBACK has 1 reason codes for 2 topic filters"),
            ("codes", 3, BrokerPacket.unsuback([0], id: 2, properties: nil), "UNSUBACK: 1 octets too many"),
            ("a code of SUBACK", 5, BrokerPacket.unsuback([0, 1], id: 2), "UNSUBACK: Reason Code has a value"),
            (
                "of something else", 5, BrokerPacket.unsuback([0, 0], id: 3),
                "UNSUBACK answers nothing that was asked (3)"
            ),
            (
                "a property of CONNACK", 5, BrokerPacket.unsuback([0, 0], id: 2, properties: [0x21, 0, 1]),
                "UNSUBACK must not have the property Receive Maximum"
            ),
        ] as [(String, Int, [UInt8], String?)])
    func `an end is answered as it was asked for`(name: String, version: Int, answer: [UInt8], expected: String?) {
        var packets = Self.guarded(version: version)
        packets.expectEnd(2, filters: 2)
        #expect(Self.fault(of: version == 5 ? Self.accepted : [0x20, 2, 0, 0], in: &packets) == nil)
        let fault = Self.fault(of: answer, in: &packets)
        #expect(expected == nil ? fault == nil : fault?.contains(expected ?? "") == true, "\(fault ?? "let in")")
    }

    @Test func `the broker has to take acknowledgements before it sends on and on`() {
        let message = BrokerPacket.publish(flags: 2, id: 7)
        var packets = Self.guarded()
        packets.expectSubscription(1, filters: 1)
        #expect(Self.fault(of: Self.accepted, in: &packets) == nil)
        for _ in 0..<3 {
            for _ in 0..<PacketGuard.mostUnacknowledged { #expect(Self.fault(of: message, in: &packets) == nil) }
            // QoS 0 is not acknowledged.
            #expect(Self.fault(of: BrokerPacket.publish(), in: &packets) == nil)
            packets.allIsSent()
        }
        for _ in 0..<PacketGuard.mostUnacknowledged { #expect(Self.fault(of: message, in: &packets) == nil) }
        #expect(
            Self.fault(of: message, in: &packets)
                == "PUBLISH is one of 1025 whose acknowledgements the broker does not take")
    }
}
