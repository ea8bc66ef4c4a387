// SPDX-License-Identifier: Apache-2.0

/// A broker's packets, octet by octet, right or wrong.
enum BrokerPacket {
    /// - Parameters:
    ///   - flags: DUP, QoS and RETAIN.
    ///   - properties: Nil for MQTT 3.1.1.
    static func publish(
        _ topic: [UInt8] = Array("a".utf8), flags: UInt8 = 0, id: UInt16? = nil, properties: [UInt8]? = [],
        payload: [UInt8] = []
    ) -> [UInt8] {
        packet(
            0x30 | flags,
            short(topic.count) + topic + (id.map { short(Int($0)) } ?? [])
                + (properties.map { length($0.count) + $0 } ?? []) + payload)
    }

    static func suback(_ codes: [UInt8], id: UInt16 = 1, properties: [UInt8]? = []) -> [UInt8] {
        packet(0x90, short(Int(id)) + (properties.map { length($0.count) + $0 } ?? []) + codes)
    }

    static func unsuback(_ codes: [UInt8], id: UInt16, properties: [UInt8]? = []) -> [UInt8] {
        packet(0xB0, short(Int(id)) + (properties.map { length($0.count) + $0 } ?? []) + codes)
    }

    static func text(_ property: UInt8, _ text: [UInt8]) -> [UInt8] { [property] + short(text.count) + text }

    static func pair(_ key: String, _ value: String) -> [UInt8] {
        [0x26] + short(key.utf8.count) + Array(key.utf8) + short(value.utf8.count) + Array(value.utf8)
    }

    private static func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] { [first] + length(body.count) + body }

    private static func short(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }

    /// MQTT 5.0, 1.5.5.
    private static func length(_ number: Int) -> [UInt8] {
        let rest = number >> 7
        return rest == 0 ? [UInt8(number)] : [UInt8(number & 0x7F | 0x80)] + length(rest)
    }
}
