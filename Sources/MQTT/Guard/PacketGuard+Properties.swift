// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The properties of MQTT 5: their names, their forms, and the broker's packets that may carry them.
extension PacketGuard {
    private enum Form {
        /// 0 or 1.
        case flag
        case short
        case long
        /// Not 0.
        case shortAmount
        case longAmount
        case text
        case texts
        case binary
        /// A form in packets that a client of ours never gets; it is never read.
        case other
    }

    private struct Property {
        var name: StaticString
        var form: Form
        var packets: Set<ControlPacketType>
    }

    /// MQTT 5.0, 2.2.2.2, by identifier. A property that only clients send is in no packet of a broker. We give
    /// subscriptions no identifier, and announce that we take no topic aliases: messages have neither.
    private static let properties: [UInt8: Property] = [
        0x01: Property(name: "Payload Format Indicator", form: .flag, packets: [.publish]),
        0x02: Property(name: "Message Expiry Interval", form: .long, packets: [.publish]),
        0x03: Property(name: "Content Type", form: .text, packets: [.publish]),
        0x08: Property(name: "Response Topic", form: .text, packets: [.publish]),
        0x09: Property(name: "Correlation Data", form: .binary, packets: [.publish]),
        0x0B: Property(name: "Subscription Identifier", form: .other, packets: []),
        0x11: Property(name: "Session Expiry Interval", form: .long, packets: [.connack]),
        0x12: Property(name: "Assigned Client Identifier", form: .text, packets: [.connack]),
        0x13: Property(name: "Server Keep Alive", form: .short, packets: [.connack]),
        0x15: Property(name: "Authentication Method", form: .text, packets: [.connack]),
        0x16: Property(name: "Authentication Data", form: .binary, packets: [.connack]),
        0x17: Property(name: "Request Problem Information", form: .other, packets: []),
        0x18: Property(name: "Will Delay Interval", form: .other, packets: []),
        0x19: Property(name: "Request Response Information", form: .other, packets: []),
        0x1A: Property(name: "Response Information", form: .text, packets: [.connack]),
        0x1C: Property(name: "Server Reference", form: .text, packets: [.connack, .disconnect]),
        0x1F: Property(name: "Reason String", form: .text, packets: answers),
        0x21: Property(name: "Receive Maximum", form: .shortAmount, packets: [.connack]),
        0x22: Property(name: "Topic Alias Maximum", form: .short, packets: [.connack]),
        0x23: Property(name: "Topic Alias", form: .other, packets: []),
        0x24: Property(name: "Maximum QoS", form: .flag, packets: [.connack]),
        0x25: Property(name: "Retain Available", form: .flag, packets: [.connack]),
        0x26: Property(name: "User Property", form: .texts, packets: answers.union([.publish])),
        0x27: Property(name: "Maximum Packet Size", form: .longAmount, packets: [.connack]),
        0x28: Property(name: "Wildcard Subscription Available", form: .flag, packets: [.connack]),
        0x29: Property(name: "Subscription Identifier Available", form: .flag, packets: [.connack]),
        0x2A: Property(name: "Shared Subscription Available", form: .flag, packets: [.connack]),
    ]

    private static let answers: Set<ControlPacketType> = [.connack, .puback, .suback, .unsuback, .disconnect]

    /// Reads the properties of a packet.
    ///
    /// - Parameter endPacket: The packet must end after the properties.
    static func checkProperties(
        of packet: ControlPacketType, _ body: inout ByteReader, endPacket: Bool = true
    ) throws(DecodeError) -> PacketFault.Problem? {
        let length = try propertyLength(&body)
        guard length == body.remaining || !endPacket && length < body.remaining else {
            throw .invalid(field: "Property Length")
        }
        var list = ByteReader(try body.bytes(length, "Property Length"))
        var seen: Set<UInt8> = []
        while list.remaining > 0 {
            // A variable length integer, too; but all existing identifiers have one octet.
            let identifier = try list.u8("Property Identifier")
            guard let property = properties[identifier] else { return .unknownProperty(identifier) }
            guard property.packets.contains(packet) else { return .misplacedProperty(property.name) }
            let isFirst = seen.insert(identifier).inserted
            guard isFirst || property.form == .texts else { return .repeatedProperty(property.name) }
            try check(property, &list, isForeign: packet == .publish)
        }
        return nil
    }

    /// MQTT 5.0, 1.5.5.
    private static func propertyLength(_ body: inout ByteReader) throws(DecodeError) -> Int {
        var length = 0
        for place in 0..<4 {
            let octet = try body.u8("Property Length")
            length |= Int(octet & 0x7F) << (7 * place)
            if octet & 0x80 == 0 { return length }
        }
        throw .invalid(field: "Property Length")
    }

    /// - Parameter isForeign: A party other than the broker may have written the texts.
    private static func check(
        _ property: Property, _ body: inout ByteReader, isForeign: Bool
    ) throws(DecodeError) {
        switch property.form {
        case .flag: if try body.u8(property.name) > 1 { throw .invalid(field: property.name) }
        case .short: _ = try body.u16(property.name)
        case .long: _ = try body.u32(property.name)
        case .shortAmount: if try body.u16(property.name) == 0 { throw .invalid(field: property.name) }
        case .longAmount: if try body.u32(property.name) == 0 { throw .invalid(field: property.name) }
        case .text: try checkText(property.name, &body, isForeign: isForeign)
        case .texts:
            try checkText(property.name, &body, isForeign: isForeign)
            try checkText(property.name, &body, isForeign: isForeign)
        case .binary: _ = try octets(property.name, &body)
        case .other: throw .invalid(field: property.name)
        }
    }

    static func octets(_ field: StaticString, _ body: inout ByteReader) throws(DecodeError) -> ArraySlice<UInt8> {
        try body.bytes(Int(try body.u16(field).byteSwapped), field)
    }

    /// MQTT 5.0, 1.5.4.
    private static func checkText(
        _ field: StaticString, _ body: inout ByteReader, isForeign: Bool
    ) throws(DecodeError) {
        let octets = try octets(field, &body)
        guard !octets.contains(0), let text = String(validating: octets, as: UTF8.self) else {
            throw .invalid(field: field)
        }
        // The library would end the connection, with a poorer message.
        guard !isForeign || MQTTText.isPlain(text) else { throw .invalid(field: field) }
    }
}
