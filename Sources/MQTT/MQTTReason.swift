// SPDX-License-Identifier: Apache-2.0

import CMosquitto

/// An MQTT 5 reason code. MQTT 5.0, 2.4.
package struct MQTTReason: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package static let unsupportedProtocolVersion = Self(rawValue: 0x84)
    package static let badUserNameOrPassword = Self(rawValue: 0x86)
    package static let notAuthorized = Self(rawValue: 0x87)
    package static let sessionTakenOver = Self(rawValue: 0x8E)
    package static let topicNameInvalid = Self(rawValue: 0x90)
    package static let packetTooLarge = Self(rawValue: 0x95)
    package static let quotaExceeded = Self(rawValue: 0x97)
    package static let retainNotSupported = Self(rawValue: 0x9A)
    package static let useAnotherServer = Self(rawValue: 0x9C)
    package static let serverMoved = Self(rawValue: 0x9D)
    package static let wildcardsNotSupported = Self(rawValue: 0xA2)

    /// The broker sends its clients to another server.
    package var isElsewhere: Bool { self == .useAnotherServer || self == .serverMoved }

    /// Codes from 0x80 on mean a failure.
    package var isFailure: Bool { rawValue >= 0x80 }

    /// The MQTT 3.1.1 CONNACK return codes, as the MQTT 5 codes that replaced them. MQTT 3.1.1, 3.2.2.3.
    package init(returnCode: Int32) {
        switch returnCode {
        case 1: self = .unsupportedProtocolVersion
        case 2: self.init(rawValue: 0x85)
        case 3: self.init(rawValue: 0x88)
        case 4: self = .badUserNameOrPassword
        case 5: self = .notAuthorized
        default: self.init(rawValue: 0x80)
        }
    }

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The action that a person can take after this refusal of a message or a connection; nil if only waiting helps.
    package var advice: String? {
        switch rawValue {
        case 0x85: "choose another mqtt.client_id"
        case 0x86: "check mqtt.username and mqtt.password"
        case 0x87: "allow this user to publish and to subscribe below the topic prefix (the broker's access list)"
        case 0x8A: "the broker has banned this client: ask who runs it"
        case 0x8C: "the broker wants an authentication method that is not supported: use user and password or TLS"
        case 0x8E: "another connection has taken the session over: perhaps another client uses the same mqtt.client_id"
        case 0x90: "the broker refuses the topic: check mqtt.topic_prefix"
        case 0x95: "raise the broker's maximum packet or message size"
        case 0x9A: "the broker takes no retained messages: set mqtt.retain = false"
        case 0x9B: "the broker takes no QoS 1, which the gateway needs: change its configuration"
        case 0x93, 0x96, 0x97: "the broker's quota is used up: raise it, or publish less (mqtt.min_interval_ms)"
        case 0x9C: "this broker sends its clients to another one for now: name another one, too, in mqtt.brokers"
        case 0x9D: "the broker has moved: set mqtt.host or mqtt.brokers to where it is now"
        default: nil
        }
    }
}

extension MQTTReason: CustomStringConvertible {
    /// The code's name, and the advice.
    package var description: String { advice.map { "\(named): \($0)" } ?? named }

    /// Name and number: `Not authorized (0x87)`.
    package var named: String {
        let name = mosquitto_reason_string(Int32(rawValue)).map { String(cString: $0) } ?? "unknown reason"
        return "\(name) (0x\(String(rawValue, radix: 16, uppercase: true)))"
    }
}
