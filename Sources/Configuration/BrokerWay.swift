// SPDX-License-Identifier: Apache-2.0

import MQTT
import Publisher

/// The way to the broker: the addresses that the gateway connects to, and how it authenticates the broker.
///
/// A stored password belongs to one way: see ``mayUse(passwordOf:isNew:)``. A way holds all TLS options, so that every
/// later option is part of it, too.
package struct BrokerWay: Equatable, Sendable {
    private var addresses: [BrokerAddress]
    /// nil without TLS.
    private var tls: MQTTConfiguration.TLS?

    /// The way of a configuration, whether or not `mqtt` has its TLS options yet.
    package init(_ configuration: GatewayConfiguration) {
        self.init(configuration.mqtt, tls: configuration.tls.isEnabled ? configuration.tls.options : nil)
    }

    /// The way of complete settings.
    package init(_ mqtt: MQTTConfiguration) { self.init(mqtt, tls: mqtt.tls) }

    private init(_ mqtt: MQTTConfiguration, tls: MQTTConfiguration.TLS?) {
        // The case of a host name does not matter.
        addresses = mqtt.addresses.map { BrokerAddress(host: $0.host.lowercased(), port: $0.port) }
        self.tls = tls
    }

    /// The one rule about passwords that nobody can read: an old password is never used with a changed way. Without the
    /// rule, a person who may only write settings could send the stored password to a program of their own.
    ///
    /// - Parameters:
    ///   - former: The way that held before.
    ///   - isNew: The change of the way comes with a password. An empty password does not count.
    package func mayUse(passwordOf former: BrokerWay, isNew: Bool) -> Bool { isNew || self == former }
}
