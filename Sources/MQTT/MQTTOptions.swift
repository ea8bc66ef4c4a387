// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How a client connects to a broker.
package struct MQTTOptions: Sendable {
    /// The TLS settings of the connection.
    package struct TLS: Equatable, Sendable {
        /// PEM certificates to trust; nil trusts the system's certificates.
        package var caFile: String?
        /// PEM certificate and key of this client, both or neither.
        package var certificateFile: String?
        package var keyFile: String?
        /// False accepts a certificate for another host name: for brokers addressed by IP.
        package var verifyHostname: Bool
        /// The name that the client asks for (SNI) and that the broker's certificate must have; nil: the host's name.
        package var serverName: String?

        package init(
            caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil, verifyHostname: Bool = true,
            serverName: String? = nil
        ) {
            self.caFile = caFile
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.verifyHostname = verifyHostname
            self.serverName = serverName
        }
    }

    /// The message that the broker publishes, with QoS 1, if the connection ends without DISCONNECT.
    package struct Will: Sendable {
        package var topic: String
        package var payload: [UInt8]
        package var retain: Bool

        package init(topic: String, payload: [UInt8], retain: Bool) {
            self.topic = topic
            self.payload = payload
            self.retain = retain
        }
    }

    /// The limits for messages from other clients, on a connection that may subscribe.
    package struct Incoming: Hashable, Sendable {
        /// Octets of the longest packet with a message, 1,024…262,144; values outside become the nearest bound. An MQTT
        /// 5 broker learns the limit and drops longer messages (MQTT 5.0, 3.1.2.11.4). MQTT 3.1.1 has no such limit,
        /// and a longer message ends the connection.
        package var maximumPacketSize = 65_536
        /// Messages that may wait in the inbox. Further messages are dropped and counted.
        package var maximumWaiting = 64
        /// Octets of topics, payloads and properties that may wait in the inbox. Further messages are dropped and
        /// counted.
        package var maximumWaitingOctets = 262_144

        package init() {}

        var packetSize: Int { min(max(maximumPacketSize, 1_024), 262_144) }
    }

    package var clientID: String
    package var version: MQTTConnection.Version
    package var username: String?
    package var password: Secret?
    /// Nil speaks MQTT without TLS.
    package var tls: TLS?
    package var will: Will?
    /// Nil takes no messages: the connection cannot subscribe, and a message from the broker ends it.
    package var incoming: Incoming?
    /// Makes the broker forget the session for this client id.
    package var startsClean = false
    /// False retains no message, even if the message asks for it.
    package var retain = true
    /// 5…65,535; values outside become the nearest bound.
    package var keepAliveSeconds = 30
    /// How long the broker keeps the session while the client is away. Only with MQTT 5.
    package var sessionExpirySeconds = 3_600
    /// Messages sent and not yet acknowledged, 1…65,535; the broker's Receive Maximum lowers the limit.
    package var maximumInFlight = 20

    package init(clientID: String, version: MQTTConnection.Version) {
        self.clientID = clientID
        self.version = version
    }
}
