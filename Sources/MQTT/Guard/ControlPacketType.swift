// SPDX-License-Identifier: Apache-2.0

/// A kind of MQTT control packet. MQTT 5.0, 2.1.2.
package struct ControlPacketType: RawRepresentable, Hashable, Sendable {
    /// 0…15.
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let connack = Self(rawValue: 2)
    package static let publish = Self(rawValue: 3)
    package static let puback = Self(rawValue: 4)
    package static let suback = Self(rawValue: 9)
    package static let unsuback = Self(rawValue: 11)
    package static let pingresp = Self(rawValue: 13)
    package static let disconnect = Self(rawValue: 14)

    private static let names = [
        "packet of type 0", "CONNECT", "CONNACK", "PUBLISH", "PUBACK", "PUBREC", "PUBREL", "PUBCOMP", "SUBSCRIBE",
        "SUBACK", "UNSUBSCRIBE", "UNSUBACK", "PINGREQ", "PINGRESP", "DISCONNECT", "AUTH",
    ]
}

extension ControlPacketType: CustomStringConvertible {
    package var description: String { Self.names[Int(rawValue & 0x0F)] }
}
