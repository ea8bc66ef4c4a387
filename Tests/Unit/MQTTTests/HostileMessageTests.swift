// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatewayBench
@testable import MQTT

/// Brokers that send a subscriber forbidden messages, or too many: the connection ends or continues, the process lives.
@Suite("Hostile messages", .serialized)
struct HostileMessageTests {
    /// Answers the first SUBSCRIBE with these octets.
    private static func broker(_ octets: [[UInt8]]) throws -> ScriptedBroker {
        try ScriptedBroker(answer: { request in request.packetID == 1 ? octets.map { .octets($0) } : [] })
    }

    private static func client(of broker: any Listener, version: Int = 5) async throws -> Conversation {
        let client = try await Conversation(at: broker.port, version: version == 5 ? .v5 : .v3) {
            $0.incoming?.maximumPacketSize = MessageStream.longest
        }
        try client.connection.subscribe([MQTTSubscription(try TopicFilter("#"))])
        return client
    }

    @Test(arguments: MessageStream.faults, [false, true])
    func `what MQTT forbids ends the connection, and says why`(_ stream: MessageStream, octetByOctet: Bool) async throws
    {
        let octets = stream.packets.flatMap { $0 }
        let broker = try Self.broker(octetByOctet && octets.count < 100 ? octets.map { [$0] } : [octets])
        let client = try await Self.client(of: broker, version: stream.version)
        await client.until { false }
        guard case .broken(let fault)? = client.connection.failure else {
            Issue.record("\(String(describing: client.connection.failure))")
            return
        }
        #expect(fault.description.contains(stream.fault ?? ""), "\(fault)")
        // The client does not receive messages from the same read as the fault.
        #expect(client.messages.count <= stream.messages)
    }

    @Test(arguments: MessageStream.letIn)
    func `what MQTT allows is handed over`(_ stream: MessageStream) async throws {
        let broker = try Self.broker(stream.packets)
        let client = try await Self.client(of: broker, version: stream.version)
        await client.until { client.messages.count == stream.messages && !client.results.isEmpty }
        #expect(client.connection.failure == nil)
        #expect(client.connection.droppedMessages == DroppedMessages())
        #expect(client.messages.count == stream.messages)
    }

    @Test(
        arguments: [
            (5, [0, 1, 0x87, 0xA2], "[granted 0, granted 1, refused 135, refused 162]"),
            (3, [0, 1, 0x80, 0x80], "[granted 0, granted 1, refused 128, refused 128]"),
        ] as [(Int, [UInt8], String)])
    func `each filter has the broker's word on it`(version: Int, codes: [UInt8], expected: String) async throws {
        let broker = try Self.broker([BrokerPacket.suback(codes, properties: version == 5 ? [] : nil)])
        let client = try await Conversation(at: broker.port, version: version == 5 ? .v5 : .v3)
        try await client.subscribe(to: "a", "b", "c", "d")
        #expect(client.results.map(\.filter.text) == ["a", "b", "c", "d"])
        let outcomes = client.results.map { result in
            switch result.outcome {
            case .granted(let quality): "granted \(quality.rawValue)"
            case .refused(let reason): "refused \(reason.rawValue)"
            case .ended: "ended"
            }
        }
        #expect("[" + outcomes.joined(separator: ", ") + "]" == expected)
        #expect(client.connection.failure == nil)
    }

    @Test func `a broker hears what is wanted, and how long a packet may be`() async throws {
        let broker = try Self.broker([BrokerPacket.suback([1, 1])])
        let client = try await Conversation(at: broker.port) { $0.incoming?.maximumPacketSize = 5_000 }
        try await client.subscribe(to: "a/+", "b") {
            $0.excludesOwn = true
            $0.retainHandling = .never
        }
        #expect(broker.connects.map(\.maximumPacketSize) == [5_000])
        // QoS 1, No Local, and 2 for Retain Handling. MQTT 5.0, 3.8.3.1.
        #expect(broker.requests == [.init(packetID: 1, filters: ["a/+", "b"], options: [0x25, 0x25])])
    }

    @Test(arguments: [(0, 1_024), (1 << 30, 262_144)])
    func `a limit that makes no sense becomes the nearest`(size: Int, expected: UInt32) async throws {
        let broker = try Self.broker([])
        _ = try await Conversation(at: broker.port) { $0.incoming?.maximumPacketSize = size }
        #expect(broker.connects.map(\.maximumPacketSize) == [expected])
    }

    @Test func `a publisher announces nothing of that`() async throws {
        let broker = try Self.broker([])
        _ = try await Conversation(at: broker.port) { $0.incoming = nil }
        #expect(broker.connects.map(\.maximumPacketSize) == [nil])
    }

    @Test func `where the broker takes no wildcards it is not asked`() async throws {
        let broker = try ScriptedBroker(
            answer: { _ in [.octets(BrokerPacket.suback([1, 1]))] },
            script: { ScriptedBroker.obliging($0, properties: [0x28, 0]) })
        let client = try await Conversation(at: broker.port)
        try await client.subscribe(to: "a", "b/#", "c")
        #expect(Set(client.results.map(\.filter.text)) == ["a", "b/#", "c"])
        #expect(client.results.first { $0.filter.hasWildcards }?.outcome == .refused(.wildcardsNotSupported))
        #expect(broker.requests.map(\.filters) == [["a", "c"]])
    }

    @Test func `messages that nobody takes are dropped beyond a number`() async throws {
        let messages = (0..<100).map { BrokerPacket.publish(payload: [UInt8($0)]) }
        let broker = try Self.broker([BrokerPacket.suback([1])] + messages)
        let client = try await Self.client(of: broker)
        client.takesMessages = false
        await client.until { client.connection.droppedMessages.total == 36 }
        #expect(client.connection.droppedMessages == DroppedMessages(aboveCount: 36))
        #expect(client.connection.takeMessages().map(\.payload) == (0..<64).map { [UInt8($0)] })
        #expect(client.connection.takeMessages().isEmpty)
        #expect(client.connection.failure == nil)
    }

    @Test func `messages that nobody takes are dropped beyond so many octets`() async throws {
        let messages = (0..<10).map { _ in BrokerPacket.publish(payload: [UInt8](repeating: 1, count: 999)) }
        let broker = try Self.broker([BrokerPacket.suback([1])] + messages)
        let client = try await Conversation(at: broker.port) { $0.incoming?.maximumWaitingOctets = 3_500 }
        client.takesMessages = false
        try await client.subscribe(to: "a")
        await client.until { client.connection.droppedMessages.total == 7 }
        #expect(client.connection.droppedMessages == DroppedMessages(aboveOctets: 7))
        #expect(client.connection.takeMessages().count == 3)
    }

    @Test(arguments: [5, 3])
    func `messages with QoS 1 are acknowledged, in one piece or in many`(version: Int) async throws {
        let properties: [UInt8]? = version == 5 ? [] : nil
        let messages = (1...50).map { BrokerPacket.publish(flags: 2, id: $0, properties: properties) }
        let octets = BrokerPacket.suback([1], properties: properties) + messages[..<20].flatMap { $0 }
        let broker = try Self.broker([octets] + messages[20...].flatMap { $0 }.map { [$0] })
        let client = try await Self.client(of: broker, version: version)
        await client.until { broker.acknowledged.count == 50 }
        #expect(broker.acknowledged == Array(1...50))
        #expect(client.messages.count == 50)
        #expect(client.connection.failure == nil)
    }

    @Test func `a broker that takes no acknowledgements cannot fill the memory with them`() async throws {
        // The messages fill one read from the socket.
        let messages = (0..<2_048).flatMap { _ in BrokerPacket.publish(flags: 2, id: 7) }
        let broker = try Self.broker([BrokerPacket.suback([1])] + [messages, messages, messages])
        let client = try await Self.client(of: broker)
        // Nothing is written, as if the socket took nothing.
        #expect(
            await eventually {
                client.connection.read()
                return client.connection.failure != nil
            })
        #expect(
            client.connection.failure
                == .broken(PacketFault(packet: .publish, problem: .unacknowledged(PacketGuard.mostUnacknowledged + 1))))
    }
}
