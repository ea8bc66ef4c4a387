// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatewayBench
@testable import MQTT

/// Questions and answers: response topic and correlation data. MQTT 5.0, 4.10.
@Suite("Questions and answers", .serialized)
struct ResponseTests {
    @Test func `who asks with mosquitto_rr gets the answer, and what it has sent for it`() async throws {
        let broker = try Broker()
        let client = try await Conversation(at: broker.port)
        try await client.subscribe(to: "ask/+")
        let asker = try MosquittoClient(
            "mosquitto_rr", port: broker.port,
            [
                "-t", "ask/time", "-e", "answer/1", "-m", "what time?", "-D", "publish", "correlation-data", "c 1",
                "-D", "publish", "content-type", "text/plain", "-D", "publish", "payload-format-indicator", "1",
                "-D", "publish", "message-expiry-interval", "600", "-D", "publish", "user-property", "k", "v",
                "-F", "%t|%D|%p",
            ])
        await client.until { !client.messages.isEmpty }
        let question = try #require(client.messages.first)
        #expect(question.topic.text == "ask/time")
        #expect(question.text == "what time?")
        #expect(question.contentType == "text/plain")
        #expect(question.isText)
        #expect(question.expiry.map { (590...600).contains($0) } == true)
        let correlation = try #require(question.correlation)
        #expect(correlation.octets == Array("c 1".utf8))
        try await client.publish(
            "noon", to: try #require(question.responseTopic).text,
            properties: MessageProperties(correlation: correlation))
        #expect(asker.output() == "answer/1|c 1|noon\n")
    }

    @Test(arguments: [[], [0], Array(0...255)] as [[UInt8]])
    func `a question of ours says where to and under what name`(octets: [UInt8]) async throws {
        let broker = try Broker()
        let client = try await Conversation(at: broker.port, clientID: "answers")
        let asker = try await Conversation(at: broker.port, clientID: "asks")
        try await client.subscribe(to: "ask")
        try await asker.subscribe(to: "answer/ä")
        let properties = MessageProperties(
            expiry: 60, responseTopic: try TopicName("answer/ä"), correlation: CorrelationData(octets),
            user: ["a": "b"])
        try await asker.publish("question", to: "ask", properties: properties)
        await client.until { !client.messages.isEmpty }
        let question = try #require(client.messages.first)
        #expect(question.responseTopic?.text == "answer/ä")
        #expect(question.correlation?.octets == octets)
        #expect(question.contentType == nil)
        #expect(!question.isText)
        try await client.publish(
            "answer", to: try #require(question.responseTopic).text,
            properties: MessageProperties(correlation: question.correlation))
        await asker.until { !asker.messages.isEmpty }
        #expect(asker.messages.first?.text == "answer")
        #expect(asker.messages.first?.correlation?.octets == octets)
        #expect(asker.messages.first?.responseTopic == nil)
    }

    @Test func `a message of MQTT 3 has no properties, and gets none`() async throws {
        let broker = try Broker()
        let client = try await Conversation(at: broker.port, version: .v3)
        try await client.subscribe(to: "ask")
        let properties = MessageProperties(
            responseTopic: try TopicName("answer"), correlation: CorrelationData([1]), user: ["a": "b"])
        try await client.publish("question", to: "ask", properties: properties)
        await client.until { !client.messages.isEmpty }
        let question = try #require(client.messages.first)
        #expect(question.text == "question")
        #expect(question.responseTopic == nil)
        #expect(question.correlation == nil)
    }

    @Test(arguments: ["a/#", "+"])
    func `a question without a topic to answer to is dropped, and the next one comes`(topic: String) async throws {
        let broker = try Broker()
        let client = try await Conversation(at: broker.port)
        try await client.subscribe(to: "ask")
        let asker = try MosquittoClient(
            "mosquitto_pub", port: broker.port,
            ["-t", "ask", "-q", "1", "-m", "question", "-D", "publish", "response-topic", topic])
        #expect(asker.output().isEmpty)
        try await client.publish("next", to: "ask")
        await client.until { !client.messages.isEmpty }
        #expect(client.messages.map(\.text) == ["next"])
        #expect(client.connection.droppedMessages == DroppedMessages(withUnusableTopic: 1))
    }

    @Test func `user properties and correlation data may be empty`() async throws {
        let broker = try Broker()
        let client = try await Conversation(at: broker.port)
        let properties = MessageProperties(correlation: CorrelationData([]), user: ["a": "", "": "b", "c": "d"])
        try await client.publish(to: "a", properties: properties)
        #expect(client.connection.failure == nil)
        #expect(client.settled.count == 1)
    }

    @Test func `a question that does not fit into a packet is not sent`() async throws {
        let broker = try Broker(settings: ["allow_anonymous true", "max_packet_size 200"])
        let client = try await Conversation(at: broker.port)
        let data = CorrelationData([UInt8](repeating: 1, count: 100))
        // 1 + 2 of header, 2 + 1 of topic, 2 of identifier, 1 of Property Length: and 3 + 100, 3 + 80.
        let fitting = MessageProperties(
            responseTopic: try TopicName(String(repeating: "r", count: 80)), correlation: data)
        try await client.publish(String(repeating: "x", count: 4), to: "a", properties: fitting)
        #expect(client.connection.failure == nil)
        #expect(client.settled.count == 1)
        #expect(throws: MQTTFailure.tooLarge) {
            try client.connection.publish(Array("xxxxxx".utf8), to: "a", properties: fitting)
        }
        #expect(throws: MQTTFailure.tooLarge) {
            try client.connection.subscribe([MQTTSubscription(try TopicFilter(String(repeating: "a", count: 192)))])
        }
        try await client.subscribe(to: String(repeating: "a", count: 191))
        #expect(client.results.map(\.outcome) == [.granted(.atLeastOnce)])
    }
}
