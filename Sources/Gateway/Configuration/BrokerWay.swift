// SPDX-License-Identifier: Apache-2.0

import MQTT
import Publisher

/// The way to the broker: where the gateway connects to, and how it knows whom it speaks to.
///
/// A stored password belongs to the way that it was written for: see ``mayUse(passwordOf:isNew:)``. The whole of the TLS
/// options is part of a way, so that an option that is added later is, too.
struct BrokerWay: Equatable, Sendable {
    private var addresses: [BrokerAddress]
    /// nil in the clear.
    private var tls: MQTTConfiguration.TLS?

    /// The way of a configuration, before or after its TLS options have come into `mqtt`.
    init(_ configuration: GatewayConfiguration) {
        self.init(configuration.mqtt, tls: configuration.tls.isEnabled ? configuration.tls.options : nil)
    }

    /// The way of complete settings.
    init(_ mqtt: MQTTConfiguration) { self.init(mqtt, tls: mqtt.tls) }

    private init(_ mqtt: MQTTConfiguration, tls: MQTTConfiguration.TLS?) {
        // Names of hosts are the same in either case.
        addresses = mqtt.addresses.map { BrokerAddress(host: $0.host.lowercased(), port: $0.port) }
        self.tls = tls
    }

    /// The one rule about passwords that nobody can read: one that is not given anew follows no changed way. Without the
    /// rule, somebody who may only write settings would have the password sent to a program of their own.
    ///
    /// - Parameters:
    ///   - former: The way that held before.
    ///   - isNew: Whoever changes the way gives the password, too. An empty one is none.
    func mayUse(passwordOf former: BrokerWay, isNew: Bool) -> Bool { isNew || self == former }
}
