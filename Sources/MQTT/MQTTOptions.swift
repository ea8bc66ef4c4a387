// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How a client connects to a broker.
package struct MQTTOptions: Sendable {
    /// What secures the connection.
    package struct TLS: Equatable, Sendable {
        /// PEM certificates to trust; nil trusts those of the system.
        package var caFile: String?
        /// PEM certificate and key of this client, both or neither.
        package var certificateFile: String?
        package var keyFile: String?
        /// False accepts a certificate for another host name: for brokers addressed by IP.
        package var verifyHostname: Bool
        /// The name that the broker's certificate is for, and that is asked for (SNI); nil is the host's.
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

    /// What the broker publishes when the connection ends without DISCONNECT, with QoS 1.
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

    package var clientID: String
    package var version: MQTTConnection.Version
    package var username: String?
    package var password: Secret?
    /// Nil speaks MQTT without TLS.
    package var tls: TLS?
    package var will: Will?
    /// Has the broker forget the session that it keeps for the client id.
    package var startsClean = false
    /// False retains nothing, whatever a message asks for.
    package var retain = true
    /// 5…65,535; what lies outside becomes the nearest.
    package var keepAliveSeconds = 30
    /// How long the broker keeps the session while the client is away. With MQTT 5 only.
    package var sessionExpirySeconds = 3_600
    /// Messages sent and not acknowledged yet, 1…65,535; the broker's Receive Maximum lowers it.
    package var maximumInFlight = 20

    package init(clientID: String, version: MQTTConnection.Version) {
        self.clientID = clientID
        self.version = version
    }
}
