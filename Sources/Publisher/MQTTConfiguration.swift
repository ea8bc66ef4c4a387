// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Readings
import SparkplugB

/// The broker, and what is published to it.
package struct MQTTConfiguration: Equatable, Sendable {
    package typealias TLS = MQTTOptions.TLS

    /// How topics and payloads of the present look.
    package enum Layout: String, Sendable {
        case martlet
        /// As OpenMQTTGateway and Theengs publish.
        case theengs

        /// It has keys for who made a sensor.
        package var namesMakers: Bool { self == .theengs }
    }

    /// What readings and everything else are published as.
    package enum Format: String, Sendable {
        case json
        /// Sparkplug B, instead of JSON.
        case sparkplug
    }

    package var host = "localhost"
    package var port: UInt16 = 1883
    /// Brokers that are tried in turn, instead of `host` and `port`: `host:port` each.
    package var brokers: [String] = []
    package var username: String?
    package var password: Secret?
    /// Must differ between gateways; nil is `martlet-<gw>`.
    package var clientID: String?
    package var topicPrefix = "martlet"
    package var format = Format.json
    package var sparkplug = SparkplugConfiguration()
    package var layout = Layout.martlet
    /// Verbs of commands that are taken over MQTT; none takes no commands.
    package var allowedCommands: [String] = []
    package var homeAssistant = HomeAssistantConfiguration()
    /// Other gateways at the same broker may hear the same sensors: each is taken care of by one of them.
    package var sharesSensors = false
    /// False publishes nothing retained, the will included: some cloud brokers drop clients that do.
    package var retain = true
    /// Publishes values that no decoder understood as hexadecimal digits on `…/raw`, too.
    package var publishRaw = false
    /// Publishes readings without a wall time at once, instead of holding them until their time is known.
    package var publishUnsynced = false
    package var tls: TLS?
    package var keepAliveSeconds = 30
    /// How long the broker keeps the session while the gateway is away.
    package var sessionExpirySeconds = 3_600
    /// Seconds for which a broker keeps a live value for consumers that are away; 0 is for ever. With MQTT 5 only.
    package var expireAfterSeconds = 86_400
    /// Messages sent and not acknowledged yet; the broker's Receive Maximum lowers it.
    package var maximumInFlight = 20
    /// A reading older than this is history, and no longer shown as the present.
    package var liveWindow: Duration = .seconds(10)
    /// What goes out on `…/state`, for sensors whose entry says nothing else.
    package var pacing = LivePacing()
    /// Rows of history a second; 0 has no limit.
    package var historyRowsPerSecond = 50
    /// Octets of one history message; the broker's Maximum Packet Size lowers it.
    package var historyMaximumBytes = 65_536
    /// Waits between tries to connect: the first, and the longest that doubling leads to.
    package var reconnectDelay: ClosedRange<Duration> = .seconds(1)...(.seconds(60))
    /// A connection is given up when the broker has answered everything before a message, and not this one for so long.
    package var acknowledgementTimeout: Duration = .seconds(60)
    package var statisticsInterval: Duration = .seconds(60)
    /// Waits after another client has taken the session: both coming back at once would throw each other out for ever.
    package var takenOverDelay: ClosedRange<Duration> = .seconds(30)...(.seconds(600))

    package init() {}

    /// Where to connect to, in this order; at least one.
    package var addresses: [BrokerAddress] {
        let several = brokers.compactMap { BrokerAddress($0, port: port) }
        return several.isEmpty ? [BrokerAddress(host: host, port: port)] : several
    }

    /// Whether the gateway wants to be told something by the broker.
    var subscribes: Bool {
        speaksSparkplug || homeAssistant.discovery != .off || !allowedCommands.isEmpty || sharesSensors
    }

    /// What the gateway wants to be told.
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
            // A command that is to be retained is none, also for who is there when it is published.
            subscription(allowedCommands.isEmpty ? nil : topics.commands + "+", .never, keepsRetained: true),
            subscription(sparkplugTopics(topics)?.node(.command), .never, keepsRetained: true),
            // What is retained of a host application is its present state.
            subscription(host, .always),
        ].compactMap { $0 }
    }

    /// Consumers want to know who made a sensor.
    package var namesMakers: Bool { layout.namesMakers || homeAssistant.discovery != .off }

    /// The brokers, for a person.
    package var brokerNames: String { addresses.map(\.description).joined(separator: ", ") }
}
