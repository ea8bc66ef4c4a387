// SPDX-License-Identifier: Apache-2.0

import MQTT

/// The topics of a gateway.
struct Topics: Sendable {
    let prefix: String
    /// As a topic level.
    let gateway: String
    /// As configured.
    let gatewayName: String

    init(prefix: String, gateway: String) {
        gatewayName = gateway
        self.prefix = prefix.split(separator: "/").map { Self.level(String($0)) }.joined(separator: "/")
        self.gateway = Self.level(gateway)
    }

    var status: String { "\(prefix)/gw/\(gateway)/status" }
    var information: String { "\(prefix)/gw/\(gateway)/info" }
    /// The state of image updates.
    var update: String { "\(prefix)/gw/\(gateway)/update" }
    /// The gateway's problems.
    var problems: String { "\(prefix)/gw/\(gateway)/problems" }
    /// The crossed limits of the gateway's sensors.
    var limits: String { "\(prefix)/gw/\(gateway)/limits" }
    /// Events of the gateway itself.
    var event: String { "\(prefix)/gw/\(gateway)/event" }
    /// The gateway's claim to its name.
    var claim: String { "\(prefix)/gw/\(gateway)/claim" }
    var statistics: String { "\(prefix)/gw/\(gateway)/stats" }

    /// The start of command topics; the verb follows.
    var commands: String { "\(prefix)/gw/\(gateway)/cmd/" }
    var result: String { "\(prefix)/gw/\(gateway)/result" }

    func state(of device: String) -> String { topic(device, "state") }
    func event(of device: String) -> String { topic(device, "event") }
    func history(of device: String) -> String { topic(device, "history") }
    func availability(of device: String) -> String { topic(device, "availability") }
    /// The topic on which OpenMQTTGateway and Theengs publish a sensor's values.
    func theengs(of name: TheengsName) -> String { "home/\(gateway)/BTtoMQTT/\(Self.level(name.topic))" }
    /// The topic of a sensor's owner.
    func owner(of device: String) -> String { topic(device, "owner") }
    func raw(of device: String) -> String { topic(device, "raw") }

    private func topic(_ device: String, _ kind: String) -> String { "\(prefix)/dev/\(Self.level(device))/\(kind)" }

    /// Scalars of a topic level: a name of the air has at most 248 octets, and a damaged journal any number.
    private static let longestLevel = 256

    /// A name as a topic level: characters with a meaning in MQTT, and those that MQTT does not have, become `_`.
    static func level(_ name: String) -> String {
        String(
            name.unicodeScalars.prefix(longestLevel).map { scalar in
                switch scalar {
                case "/", "+", "#": "_"
                default: MQTTText.isPlain(scalar) ? Character(scalar) : "_"
                }
            })
    }
}
