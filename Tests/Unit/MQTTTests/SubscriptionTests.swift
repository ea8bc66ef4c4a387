// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatewayBench
@testable import MQTT

/// Subscriptions with a real mosquitto.
@Suite("Subscriptions", .serialized)
struct SubscriptionTests {
    private static let versions: [MQTTConnection.Version] = [.v5, .v3]

    @Test(arguments: versions)
    func `messages of the filters come in their order, and no others`(version: MQTTConnection.Version) async throws {
        let broker = try Broker()
        let client = try await Conversation(at: broker.port, version: version)
        try await client.subscribe(to: "a/+", "b/#", "c")
        #expect(
            client.results
                == (try ["a/+", "b/#", "c"].map {
                    SubscriptionResult(filter: try TopicFilter($0), outcome: .granted(.atLeastOnce))
                }))
        let sender = try await Conversation(at: broker.port, clientID: "sender")
        for topic in ["a/x", "a", "a/x/y", "b", "b/c/ä", "d", "c"] { try await sender.publish("1\0\n", to: topic) }
        await client.until { client.messages.count == 4 }
        #expect(client.messages.map(\.topic.text) == ["a/x", "b", "b/c/ä", "c"])
        #expect(client.messages.allSatisfy { $0.text == "1\0\n" && $0.quality == .atLeastOnce && !$0.isRetained })
        #expect(client.connection.failure == nil)
        #expect(client.connection.droppedMessages == DroppedMessages())
    }

    @Test(arguments: versions)
    func `a message to no topic is refused by itself, and the connection goes on`(
        version: MQTTConnection.Version
    ) async throws {
        let broker = try Broker()
        let client = try await Conversation(at: broker.port, version: version)
        try await client.subscribe(to: "a")
        let long = String(repeating: "x", count: 65_536)
        let faults: [(String, TopicFault)] = [
            ("", .empty), ("a/#", .wildcard), ("+", .wildcard), ("a\u{3}", .character),
            (String(decoding: [0xFFFE as UInt16], as: UTF16.self), .character),
            (long, .tooLong(65_536)),
        ]
        for (topic, fault) in faults {
            #expect(throws: MQTTFailure.topic(fault)) { _ = try client.connection.publish([], to: topic) }
        }
        try await client.publish(to: "a")
        await client.until { !client.messages.isEmpty }
        #expect(client.messages.count == 1 && client.connection.failure == nil)
    }

    @Test(arguments: versions)
    func `what is asked for with QoS 0 comes so`(version: MQTTConnection.Version) async throws {
        let broker = try Broker()
        let client = try await Conversation(at: broker.port, version: version)
        try await client.subscribe(to: "a") { $0.quality = .atMostOnce }
        #expect(client.results.map(\.outcome) == [.granted(.atMostOnce)])
        try await client.publish(to: "a")
        await client.until { !client.messages.isEmpty }
        #expect(client.messages.map(\.quality) == [.atMostOnce])
    }

    @Test func `the options of each filter hold for it alone`() async throws {
        let broker = try Broker()
        let sender = try await Conversation(at: broker.port, clientID: "sender")
        for topic in ["always", "never", "new"] { try await sender.publish("kept", to: topic, retain: true) }
        let client = try await Conversation(at: broker.port)
        try client.connection.subscribe([
            MQTTSubscription(try TopicFilter("always"), retainHandling: .always),
            MQTTSubscription(try TopicFilter("never"), excludesOwn: true, retainHandling: .never),
            MQTTSubscription(try TopicFilter("new"), quality: .atMostOnce, retainHandling: .whenNew),
        ])
        await client.until { client.results.count == 3 && client.messages.count == 2 }
        #expect(Set(client.messages.map(\.topic.text)) == ["always", "new"])
        #expect(client.messages.allSatisfy { $0.isRetained && $0.text == "kept" })
        // The broker does not send an old retained message again.
        try await client.subscribe(to: "new") { $0.retainHandling = .whenNew }
        for topic in ["never", "always"] { try await client.publish("own", to: topic) }
        await client.until { client.messages.count == 3 }
        #expect(client.messages.last?.topic.text == "always")
        #expect(client.messages.last?.isRetained == false)
        #expect(client.connection.failure == nil)
    }

    @Test(arguments: [false, true])
    func `of a message that is to be retained who is there hears that if it wants to`(isWanted: Bool) async throws {
        let broker = try Broker()
        let client = try await Conversation(at: broker.port)
        try await client.subscribe(to: "a") { ($0.retainHandling, $0.keepsRetained) = (.never, isWanted) }
        let sender = try await Conversation(at: broker.port, clientID: "sender")
        try await sender.publish("x", to: "a", retain: true)
        await client.until { !client.messages.isEmpty }
        #expect(client.messages.map(\.isRetained) == [isWanted])
    }

    @Test(arguments: versions)
    func `after its end nothing comes of a subscription`(version: MQTTConnection.Version) async throws {
        let broker = try Broker()
        let client = try await Conversation(at: broker.port, version: version)
        try await client.subscribe(to: "a", "b", "c")
        try client.connection.unsubscribe([try TopicFilter("a"), try TopicFilter("c")])
        await client.until { client.results.count == 5 }
        #expect(client.results.suffix(2).map(\.filter.text) == ["a", "c"])
        #expect(client.results.suffix(2).allSatisfy { $0.outcome == .ended })
        for topic in ["a", "c", "b"] { try await client.publish(to: topic) }
        await client.until { !client.messages.isEmpty }
        #expect(client.messages.map(\.topic.text) == ["b"])
    }

    @Test(arguments: versions)
    func `what came while the client was away comes before it subscribes again`(
        version: MQTTConnection.Version
    ) async throws {
        let broker = try Broker()
        let first = try await Conversation(at: broker.port, version: version)
        try await first.subscribe(to: "a")
        await first.end()
        let sender = try await Conversation(at: broker.port, clientID: "sender")
        for text in ["1", "2"] { try await sender.publish(text, to: "a") }
        let second = try await Conversation(at: broker.port, version: version)
        await second.until { second.messages.count == 2 }
        #expect(second.messages.map(\.text) == ["1", "2"])
        #expect(second.connection.failure == nil)
    }

    @Test func `a connection that takes no messages ends over those of a session that was kept`() async throws {
        let broker = try Broker()
        let first = try await Conversation(at: broker.port)
        try await first.subscribe(to: "a")
        await first.end()
        let sender = try await Conversation(at: broker.port, clientID: "sender")
        try await sender.publish(to: "a")
        let second = try await Conversation(at: broker.port) { $0.incoming = nil }
        await second.until { false }
        #expect(second.connection.failure == .broken(PacketFault(packet: .publish, problem: .unexpected)))
        #expect(throws: MQTTFailure.unusable("this connection takes no messages")) {
            try second.connection.subscribe([MQTTSubscription(try TopicFilter("a"))])
        }
        #expect(throws: MQTTFailure.unusable("this connection takes no messages")) {
            try second.connection.unsubscribe([try TopicFilter("a")])
        }
    }

    @Test func `a broker of MQTT 5 keeps to itself what is too long`() async throws {
        let broker = try Broker()
        let client = try await Conversation(at: broker.port) { $0.incoming?.maximumPacketSize = 1_024 }
        try await client.subscribe(to: "a")
        try await client.publish(String(repeating: "x", count: 1_024), to: "a")
        try await client.publish("short", to: "a")
        await client.until { !client.messages.isEmpty }
        #expect(client.messages.map(\.text) == ["short"])
        #expect(client.connection.failure == nil)
    }

    @Test func `a broker of MQTT 3 loses the connection over what is too long`() async throws {
        let broker = try Broker()
        let client = try await Conversation(at: broker.port, version: .v3) { $0.incoming?.maximumPacketSize = 1_024 }
        try await client.subscribe(to: "a")
        _ = try client.connection.publish([UInt8](repeating: 0, count: 1_024), to: "a")
        await client.until { false }
        #expect(client.connection.failure == .broken(PacketFault(packet: .publish, problem: .tooLong(1_029))))
        #expect(client.messages.isEmpty)
    }

    @Test(arguments: versions)
    func `messages come through TLS, and are acknowledged`(version: MQTTConnection.Version) async throws {
        let shop = try CertificateShop()
        try shop.make("broker", for: "IP:127.0.0.1")
        let broker = try Broker()
        let front = try TLSFront(shop, certificate: "broker", before: broker.port)
        let client = try await Conversation(at: front.port, version: version) { $0.tls = .init(caFile: shop.authority) }
        try await client.subscribe(to: "a")
        // More than a broker leaves without an acknowledgement, and more than a record holds.
        for number in 0..<60 {
            let text = "\(number)" + String(repeating: " ", count: 1_000)
            _ = try client.connection.publish(Array(text.utf8), to: "a")
        }
        await client.until { client.messages.count == 60 }
        #expect(client.messages.map { Int($0.text.prefix { $0 != " " }) } == Array(0..<60))
        #expect(client.connection.failure == nil)
    }

    @Test(arguments: versions)
    func `as many come as are sent, though few may be unacknowledged`(version: MQTTConnection.Version) async throws {
        let broker = try Broker()
        let client = try await Conversation(at: broker.port, version: version)
        try await client.subscribe(to: "a")
        for number in 0..<1_500 { _ = try client.connection.publish(Array("\(number)".utf8), to: "a") }
        await client.until { client.messages.count == 1_500 }
        #expect(client.messages.map(\.text) == (0..<1_500).map { "\($0)" })
        #expect(client.connection.failure == nil)
    }
}
