// SPDX-License-Identifier: Apache-2.0

import MQTT

extension MQTTConnection {
    /// A connection by the configuration, with the layout's will.
    ///
    /// - Parameters:
    ///   - will: Nil: no will.
    ///   - retainsWill: False for a broker that has refused a retained will.
    ///   - hears: Whether messages are wanted; nil: as the configuration says.
    ///   - startsClean: Makes the broker forget its session for the client id.
    package convenience init(
        _ configuration: MQTTConfiguration, at address: BrokerAddress, clientID: String, version: Version,
        will: OutgoingMessage?, retainsWill: Bool = true, startsClean: Bool = false, hears: Bool? = nil
    ) throws(MQTTFailure) {
        var options = MQTTOptions(clientID: clientID, version: version)
        options.username = configuration.username
        options.password = configuration.password
        options.tls = configuration.tls
        options.will = will.map {
            MQTTOptions.Will(
                topic: $0.topic, payload: $0.payload, retain: $0.retain && configuration.retain && retainsWill)
        }
        // Sparkplug 3.0, 5.4: a node's session ends with its connection.
        options.startsClean = startsClean || configuration.speaksSparkplug
        options.retain = configuration.retain
        options.keepAliveSeconds = configuration.keepAliveSeconds
        options.sessionExpirySeconds = configuration.speaksSparkplug ? 0 : configuration.sessionExpirySeconds
        options.maximumInFlight = configuration.maximumInFlight
        if hears ?? configuration.subscribes {
            var incoming = MQTTOptions.Incoming()
            // With topic and properties.
            incoming.maximumPacketSize = 2 * CommandRequest.longest
            options.incoming = incoming
        }
        try self.init(options, at: address)
    }
}
