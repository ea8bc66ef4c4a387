// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Readings
import SparkplugB

/// The broker, and the published content.
package struct MQTTConfiguration: Equatable, Sendable {
    package typealias TLS = MQTTOptions.TLS

    /// The format of topics and payloads of present readings.
    package enum Layout: String, Sendable {
        case martlet
        /// As OpenMQTTGateway and Theengs publish readings.
        case theengs

        /// The layout has keys for the makers of sensors.
        package var namesMakers: Bool { self == .theengs }
    }

    /// The format of readings and all other messages.
    package enum Format: String, Sendable {
        case json
        /// Sparkplug B, instead of JSON.
        case sparkplug
    }

    package var host = "localhost"
    package var port: UInt16 = 1883
    /// Brokers in the order of connection attempts, instead of `host` and `port`: `host:port` each.
    package var brokers: [String] = []
    package var username: String?
    package var password: Secret?
    /// Must differ between gateways; nil: `martlet-<gw>`.
    package var clientID: String?
    package var topicPrefix = "martlet"
    package var format = Format.json
    package var sparkplug = SparkplugConfiguration()
    package var layout = Layout.martlet
    /// Verbs of commands that are accepted over MQTT; empty: no commands.
    package var allowedCommands: [String] = []
    /// The operations that Home Assistant shows with the gateway, if they are allowed.
    package var controls: [GatewayControl] = []
    package var homeAssistant = HomeAssistantConfiguration()
    /// Other gateways at the same broker may hear the same sensors: a single gateway takes care of each sensor.
    package var sharesSensors = false
    /// The gateway claims its name, to notice a copy of itself. False for access lists that forbid subscriptions.
    package var claimsName = true
    /// False publishes nothing retained, not even the will: some cloud brokers drop clients with retained messages.
    package var retain = true
    /// Publishes values without a decoder as hexadecimal digits on `…/raw`, too.
    package var publishRaw = false
    /// Publishes readings without a wall time at once, instead of holding them until their time is known.
    package var publishUnsynced = false
    package var tls: TLS?
    package var keepAliveSeconds = 30
    /// How long the broker keeps the session while the gateway is away.
    package var sessionExpirySeconds = 3_600
    /// Seconds for which a broker keeps a live value for absent consumers; 0: for ever. With MQTT 5 only.
    package var expireAfterSeconds = 86_400
    /// Limit of unacknowledged messages; the broker's Receive Maximum lowers it.
    package var maximumInFlight = 20
    /// An older reading is history, and no longer shown as the present.
    package var liveWindow: Duration = .seconds(10)
    /// The pacing of `…/state`, unless the sensor's entry differs.
    package var pacing = LivePacing()
    /// Rows of history a second; 0: no limit.
    package var historyRowsPerSecond = 50
    /// Octets of a history message; the broker's Maximum Packet Size lowers the limit.
    package var historyMaximumBytes = 65_536
    /// Waits between connection attempts: the first wait, and the longest after doubling.
    package var reconnectDelay: ClosedRange<Duration> = .seconds(1)...(.seconds(60))
    /// A connection is given up if the broker has answered all earlier messages, but not the next message for this
    /// time.
    package var acknowledgementTimeout: Duration = .seconds(60)
    package var statisticsInterval: Duration = .seconds(60)
    /// Waits after another client has taken the session. Two clients that come back at once would throw each other out
    /// for ever.
    package var takenOverDelay: ClosedRange<Duration> = .seconds(30)...(.seconds(600))

    package init() {}

    /// The addresses of brokers, in the order of attempts; at least one.
    package var addresses: [BrokerAddress] {
        let several = brokers.compactMap { BrokerAddress($0, port: port) }
        return several.isEmpty ? [BrokerAddress(host: host, port: port)] : several
    }

    /// Whether the gateway needs messages from the broker.
    var subscribes: Bool {
        speaksSparkplug || homeAssistant.discovery != .off || !allowedCommands.isEmpty || sharesSensors
    }

    /// The gateway's subscriptions.
    func subscriptions(_ topics: Topics) -> [MQTTSubscription] {
        func subscription(
            _ filter: String?, _ handling: MQTTSubscription.RetainHandling, keepsRetained: Bool = false
        ) -> MQTTSubscription? {
            guard let filter = filter.flatMap({ try? TopicFilter($0) }) else { return nil }
            return MQTTSubscription(filter, retainHandling: handling, keepsRetained: keepsRetained)
        }
        let host = speaksSparkplug ? sparkplug.primaryHost.map(SparkplugTopics.state(of:)) : nil
        return [
            subscription(homeAssistant.discovery == .off ? nil : homeAssistant.statusTopic, .never),
            // A retained command is no command, even for a gateway that is present when it is published.
            subscription(allowedCommands.isEmpty ? nil : topics.commands + "+", .never, keepsRetained: true),
            subscription(sparkplugTopics(topics)?.node(.command), .never, keepsRetained: true),
            // A host application's retained message is its present state.
            subscription(host, .always),
        ].compactMap { $0 }
    }

    /// Consumers want to know the makers of sensors.
    package var namesMakers: Bool { layout.namesMakers || homeAssistant.discovery != .off }

    /// The brokers, for a person.
    package var brokerNames: String { addresses.map(\.description).joined(separator: ", ") }
}
