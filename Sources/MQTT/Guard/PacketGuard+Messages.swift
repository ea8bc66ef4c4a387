// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The packets that a subscriber gets.
extension PacketGuard {
    /// DUP, QoS and RETAIN. MQTT 5.0, 3.3.1.
    static func problem(ofMessageFlags flags: UInt8) -> PacketFault.Problem? {
        switch flags >> 1 & 3 {
        // A message without an acknowledgement is never sent again.
        case 0: flags & 8 == 0 ? nil : .flags(flags)
        case 1: nil
        case 2: .exactlyOnce
        default: .flags(flags)
        }
    }

    /// MQTT 5.0, 3.3. The payload may be any octets.
    mutating func checkMessage(flags: UInt8, _ body: inout ByteReader) throws(DecodeError) -> PacketFault.Problem? {
        let octets = try Self.octets("Topic Name", &body)
        // A message without a topic needs a topic alias, and we announce that we take no aliases.
        guard let text = String(validating: octets, as: UTF8.self), (try? TopicName(text)) != nil else {
            throw .invalid(field: "Topic Name")
        }
        if flags & 6 != 0 {
            _ = try Self.identifier(&body)
            unacknowledged += 1
            guard unacknowledged <= Self.mostUnacknowledged else { return .unacknowledged(unacknowledged) }
        }
        return hasProperties ? try Self.checkProperties(of: .publish, &body, endPacket: false) : nil
    }

    /// MQTT 5.0, 3.9.
    mutating func checkSubscription(_ body: inout ByteReader) throws(DecodeError) -> PacketFault.Problem? {
        let id = try Self.identifier(&body)
        guard let filters = subscribes.removeValue(forKey: id) else { return .unasked(id) }
        if hasProperties, let problem = try Self.checkProperties(of: .suback, &body, endPacket: false) {
            return problem
        }
        let codes = body.rest()
        guard codes.count == filters else { return .answers(codes.count, filters: filters) }
        for code in codes {
            // The client never asks for QoS 2, and a broker may not grant more than was asked. MQTT 3.1.1 has one code
            // for failures.
            guard code <= 1 || (hasProperties ? code >= 0x80 : code == 0x80) else {
                throw .invalid(field: "Reason Code")
            }
            if code <= 1 { hasSubscription = true }
        }
        return nil
    }

    /// MQTT 5.0, 3.11; UNSUBACK of 3.1.1 has no codes.
    mutating func checkEnd(_ body: inout ByteReader) throws(DecodeError) -> PacketFault.Problem? {
        let id = try Self.identifier(&body)
        guard let filters = unsubscribes.removeValue(forKey: id) else { return .unasked(id) }
        guard hasProperties else {
            try body.finish()
            return nil
        }
        if let problem = try Self.checkProperties(of: .unsuback, &body, endPacket: false) { return problem }
        let codes = body.rest()
        guard codes.count == filters else { return .answers(codes.count, filters: filters) }
        // Success, and No subscription existed.
        guard codes.allSatisfy({ $0 == 0 || $0 == 0x11 || $0 >= 0x80 }) else { throw .invalid(field: "Reason Code") }
        return nil
    }
}
