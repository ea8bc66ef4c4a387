// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatewayBench
@testable import MQTT

/// A connection in the hands of a test, which reads and writes where the publisher's thread would.
final class Conversation {
    let connection: MQTTConnection
    private(set) var messages: [IncomingMessage] = []
    private(set) var results: [SubscriptionResult] = []
    private(set) var settled: [Int32] = []
    /// False leaves messages where they wait.
    var takesMessages = true

    /// Returns when the broker has accepted the connection, or when the connection has ended.
    init(
        at port: UInt16, version: MQTTConnection.Version = .v5, clientID: String = "x",
        _ change: (inout MQTTOptions) -> Void = { _ in }
    ) async throws {
        // As the publisher's thread does.
        signal(SIGPIPE, SIG_IGN)
        var options = MQTTOptions(clientID: clientID, version: version)
        options.incoming = .init()
        // A test serves one connection at a time: on a busy machine the others are silent for minutes.
        options.keepAliveSeconds = 65_535
        change(&options)
        connection = try MQTTConnection(options, at: BrokerAddress(host: "127.0.0.1", port: port))
        try connection.connect()
        await until { self.connection.acceptance != nil }
    }

    private func turn() {
        if connection.wantsWrite { connection.write() }
        connection.read()
        connection.tick()
        settled += connection.takeSettlements().map(\.messageID)
        results += connection.takeSubscriptionResults()
        if takesMessages { messages += connection.takeMessages() }
    }

    /// Serves the connection until the condition holds or the connection has ended.
    func until(_ condition: () -> Bool) async {
        _ = await eventually {
            turn()
            return condition() || connection.failure != nil
        }
    }

    /// Subscribes, and returns when the broker has answered, or the connection has ended.
    func subscribe(to filters: String..., change: (inout MQTTSubscription) -> Void = { _ in }) async throws {
        let subscriptions = try filters.map { filter in
            var subscription = MQTTSubscription(try TopicFilter(filter))
            change(&subscription)
            return subscription
        }
        let count = results.count + filters.count
        try connection.subscribe(subscriptions)
        await until { results.count >= count }
    }

    /// Publishes with QoS 1, and returns after the acknowledgement, or when the connection has ended.
    func publish(
        _ text: String = "x", to topic: String, retain: Bool = false, properties: MessageProperties? = nil
    ) async throws {
        let id = try connection.publish(Array(text.utf8), to: topic, retain: retain, properties: properties)
        await until { settled.contains(id) }
    }

    /// Sends DISCONNECT, and returns when the packet has left.
    func end() async {
        connection.disconnect()
        await until { connection.descriptor < 0 }
    }
}

extension IncomingMessage {
    var text: String { String(decoding: payload, as: UTF8.self) }
}
