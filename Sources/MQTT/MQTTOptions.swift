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

    /// How much is taken of what others send, on a connection that may subscribe.
    package struct Incoming: Hashable, Sendable {
        /// Octets of the longest packet with a message, 1,024…262,144; what lies outside becomes the nearest. Of a longer
        /// message an MQTT 5 broker is told, and keeps it to itself (MQTT 5.0, 3.1.2.11.4); one of 3.1.1 knows no such
        /// limit, and loses the connection over it.
        package var maximumPacketSize = 65_536
        /// Messages that wait to be taken. One that comes when there are so many is dropped and counted.
        package var maximumWaiting = 64
        /// Octets of topics, payloads and properties that wait to be taken; likewise.
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
    /// Nil takes no messages: the connection cannot subscribe, and ends when the broker sends one.
    package var incoming: Incoming?
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
