// SPDX-License-Identifier: Apache-2.0

import Testing

/// A broker's octets to a client that has sent SUBSCRIBE with packet identifier 1 and one filter, and accepts messages of up to 2,048
/// octets.
struct MessageStream: Sendable, CustomTestStringConvertible {
    static let longest = 2_048

    var name: String
    var version = 5
    var packets: [[UInt8]]
    /// Accepted messages.
    var messages = 0
    /// The fault of the last packet; nil if all packets are accepted.
    var fault: String?

    var testDescription: String { "\(name) (\(version))" }

    private static let granted = BrokerPacket.suback([1])
    private static let granted3 = BrokerPacket.suback([1], properties: nil)

    /// A message's fault is the same before SUBACK and after it.
    private static func wrong(_ name: String, _ message: [UInt8], _ fault: String) -> MessageStream {
        MessageStream(name: name, packets: [granted, BrokerPacket.publish(), message], messages: 1, fault: fault)
    }

    private static func wrong3(_ name: String, _ message: [UInt8], _ fault: String) -> MessageStream {
        MessageStream(
            name: name, version: 3, packets: [granted3, BrokerPacket.publish(properties: nil), message], messages: 1,
            fault: fault)
    }

    private static func text(_ property: UInt8, _ text: String) -> [UInt8] {
        BrokerPacket.text(property, Array(text.utf8))
    }

    static let letIn: [MessageStream] = [
        MessageStream(name: "a message", packets: [granted, BrokerPacket.publish()], messages: 1),
        MessageStream(
            name: "a message", version: 3, packets: [granted3, BrokerPacket.publish(properties: nil)], messages: 1),
        MessageStream(name: "a message before the answer", packets: [BrokerPacket.publish(), granted], messages: 1),
        MessageStream(
            name: "with QoS 1, sent again and retained",
            packets: [granted, BrokerPacket.publish(flags: 0x0B, id: 0xFFFF, payload: [0, 0xFF])], messages: 1),
        MessageStream(
            name: "with QoS 1", version: 3,
            packets: [granted3, BrokerPacket.publish(flags: 2, id: 7, properties: nil, payload: [0])], messages: 1),
        MessageStream(
            name: "with every property",
            packets: [
                granted,
                BrokerPacket.publish(
                    properties: [0x01, 1, 0x02, 0, 0, 0, 9] + text(0x03, "text/plain") + text(0x08, "b/ä")
                        + BrokerPacket.text(0x09, [0, 1]) + BrokerPacket.pair("k", "v") + BrokerPacket.pair("k", ""),
                    payload: [0x68]),
            ], messages: 1),
        MessageStream(
            name: "with empty properties",
            packets: [
                granted, BrokerPacket.publish(properties: text(0x03, "") + text(0x09, "") + BrokerPacket.pair("", "")),
            ],
            messages: 1),
        MessageStream(
            name: "with hundreds of properties",
            packets: [granted, BrokerPacket.publish(properties: (0..<300).flatMap { _ in BrokerPacket.pair("", "") })],
            messages: 1),
        MessageStream(
            name: "of the greatest length",
            packets: [granted, BrokerPacket.publish(payload: [UInt8](repeating: 1, count: longest - 7))], messages: 1),
        MessageStream(
            name: "granted less than asked for, with words",
            packets: [
                BrokerPacket.suback([0], properties: text(0x1F, "so") + BrokerPacket.pair("k", "v")),
                BrokerPacket.publish(),
            ],
            messages: 1),
        MessageStream(name: "refused", packets: [BrokerPacket.suback([0x87])]),
        MessageStream(name: "refused for a reason of tomorrow", packets: [BrokerPacket.suback([0xFE])]),
        MessageStream(name: "refused", version: 3, packets: [BrokerPacket.suback([0x80], properties: nil)]),
    ]

    static let faults: [MessageStream] = [
        MessageStream(
            name: "a message of a subscription that was refused",
            packets: [BrokerPacket.suback([0x87]), BrokerPacket.publish()],
            fault: "PUBLISH was not asked for"),
        MessageStream(
            name: "a message of a subscription that was refused", version: 3,
            packets: [BrokerPacket.suback([0x80], properties: nil), BrokerPacket.publish(properties: nil)],
            fault: "PUBLISH was not asked for"),
        wrong("no topic", BrokerPacket.publish([]), "PUBLISH: Topic Name has a value"),
        wrong3("no topic", BrokerPacket.publish([], properties: nil), "PUBLISH: Topic Name has a value"),
        wrong("a null character", BrokerPacket.publish([0x61, 0]), "PUBLISH: Topic Name has a value"),
        wrong3(
            "a null character", BrokerPacket.publish([0x61, 0], properties: nil), "PUBLISH: Topic Name has a value"),
        wrong("a control character", BrokerPacket.publish([0x61, 0x0A]), "PUBLISH: Topic Name has a value"),
        wrong("a non-character", BrokerPacket.publish([0xEF, 0xBF, 0xBF]), "PUBLISH: Topic Name has a value"),
        wrong("no UTF-8", BrokerPacket.publish([0x61, 0xC0, 0x80]), "PUBLISH: Topic Name has a value"),
        wrong("half a character", BrokerPacket.publish([0x61, 0xC3]), "PUBLISH: Topic Name has a value"),
        wrong("a wildcard", BrokerPacket.publish(Array("a/+".utf8)), "PUBLISH: Topic Name has a value"),
        wrong3("a wildcard", BrokerPacket.publish(Array("#".utf8), properties: nil), "PUBLISH: Topic Name has a value"),
        wrong("a topic beyond the end", [0x30, 3, 0, 9, 0x61], "PUBLISH: input ends inside Topic Name"),
        wrong("nothing", [0x30, 0], "PUBLISH: input ends inside Topic Name"),
        wrong("QoS 2", BrokerPacket.publish(flags: 4, id: 7), "PUBLISH has QoS 2, which was not asked for"),
        wrong3(
            "QoS 2", BrokerPacket.publish(flags: 4, id: 7, properties: nil),
            "PUBLISH has QoS 2, which was not asked for"),
        wrong("QoS 3", BrokerPacket.publish(flags: 6, id: 7), "PUBLISH has the flags 6"),
        wrong("QoS 0, sent again", BrokerPacket.publish(flags: 8), "PUBLISH has the flags 8"),
        wrong("packet identifier 0", BrokerPacket.publish(flags: 2, id: 0), "PUBLISH: Packet Identifier has a value"),
        wrong3(
            "packet identifier 0", BrokerPacket.publish(flags: 2, id: 0, properties: nil),
            "PUBLISH: Packet Identifier has a value"),
        wrong("half a packet identifier", [0x32, 4, 0, 1, 0x61, 0], "PUBLISH: input ends inside Packet Identifier"),
        wrong("no properties", [0x30, 3, 0, 1, 0x61], "PUBLISH: input ends inside Property Length"),
        wrong("properties beyond the end", [0x30, 4, 0, 1, 0x61, 1], "PUBLISH: Property Length has a value"),
        wrong(
            "unknown property", BrokerPacket.publish(properties: [0x7F, 0]), "a property that MQTT does not know (127)"),
        wrong(
            "property twice", BrokerPacket.publish(properties: [0x01, 1, 0x01, 1]), "Payload Format Indicator twice"),
        wrong(
            "response topic twice", BrokerPacket.publish(properties: text(0x08, "a") + text(0x08, "b")),
            "Response Topic twice"),
        wrong("topic alias", BrokerPacket.publish(properties: [0x23, 0, 1]), "must not have the property Topic Alias"),
        wrong(
            "a topic alias alone", BrokerPacket.publish([], properties: [0x23, 0, 1]), "PUBLISH: Topic Name has a value"
        ),
        wrong(
            "subscription identifier", BrokerPacket.publish(properties: [0x0B, 1]),
            "must not have the property Subscription Identifier"),
        wrong(
            "property of CONNACK", BrokerPacket.publish(properties: [0x21, 0, 1]),
            "must not have the property Receive Maximum"),
        wrong("a format of 2", BrokerPacket.publish(properties: [0x01, 2]), "Payload Format Indicator has a value"),
        wrong("half an expiry", BrokerPacket.publish(properties: [0x02, 0, 0]), "ends inside Message Expiry Interval"),
        wrong(
            "a null character in the response topic",
            BrokerPacket.publish(properties: BrokerPacket.text(0x08, [0x61, 0])), "Response Topic has a value"),
        wrong(
            "a line in the content type", BrokerPacket.publish(properties: text(0x03, "a\nb")),
            "Content Type has a value"),
        wrong(
            "a line in a user property", BrokerPacket.publish(properties: BrokerPacket.pair("a", "\r")),
            "User Property has"),
        wrong(
            "correlation data beyond the end", BrokerPacket.publish(properties: [0x09, 0, 9, 1]),
            "inside Correlation Data"),
        wrong(
            "one octet too long", BrokerPacket.publish(payload: [UInt8](repeating: 1, count: longest - 6)),
            "PUBLISH of \(longest - 2) octets"),
        wrong3(
            "one octet too long",
            BrokerPacket.publish(properties: nil, payload: [UInt8](repeating: 1, count: longest - 5)),
            "PUBLISH of \(longest - 2) octets"),
        wrong("256 MiB", [0x30, 0xFF, 0xFF, 0xFF, 0x7F, 0, 1, 0x61, 0], "PUBLISH of 268435455 octets"),
        wrong("PUBREC", [0x50, 2, 0, 1], "PUBREC was not asked for"),
        wrong("PUBREL", [0x62, 2, 0, 1], "PUBREL was not asked for"),
        wrong3("PUBREL", [0x62, 2, 0, 1], "PUBREL was not asked for"),
        wrong("PUBCOMP", [0x70, 2, 0, 1], "PUBCOMP was not asked for"),
        wrong("AUTH", [0xF0, 0], "AUTH was not asked for"),
        wrong("a second answer", granted, "SUBACK was not asked for"),
        wrong("an end that was not asked for", BrokerPacket.unsuback([0], id: 1), "UNSUBACK was not asked for"),
        MessageStream(
            name: "an answer to something else", packets: [BrokerPacket.suback([1], id: 9)],
            fault: "SUBACK answers nothing that was asked (9)"),
        MessageStream(
            name: "an answer without a code", packets: [BrokerPacket.suback([])],
            fault: "SUBACK has 0 reason codes for 1 topic filters"),
        MessageStream(
            name: "an answer without a code", version: 3, packets: [BrokerPacket.suback([], properties: nil)],
            fault: "SUBACK has 0 reason codes for 1 topic filters"),
        MessageStream(
            name: "a code too many", packets: [BrokerPacket.suback([1, 1])],
            fault: "SUBACK has 2 reason codes for 1 topic filters"),
        MessageStream(name: "QoS 2", packets: [BrokerPacket.suback([2])], fault: "SUBACK: Reason Code has a value"),
        MessageStream(
            name: "a code of MQTT 5", version: 3, packets: [BrokerPacket.suback([0x87], properties: nil)],
            fault: "SUBACK: Reason Code has a value"),
        MessageStream(
            name: "an unknown property in the answer", packets: [BrokerPacket.suback([1], properties: [0x7F, 0])],
            fault: "SUBACK has a property that MQTT does not know"),
        MessageStream(
            name: "flags of the answer", packets: [[0x92, 4, 0, 1, 0, 1]], fault: "SUBACK has the flags 2"),
    ]
}
