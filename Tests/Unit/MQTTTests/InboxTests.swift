// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import MQTT

@Suite("Waiting messages")
struct InboxTests {
    private static func inbox(count: Int, octets: Int) -> Inbox {
        var limits = MQTTOptions.Incoming()
        limits.maximumWaiting = count
        limits.maximumWaitingOctets = octets
        return Inbox(limits)
    }

    /// A message of `octets` octets, with a topic of one octet.
    private static func message(_ octets: Int) throws -> IncomingMessage {
        IncomingMessage(
            topic: try TopicName("a"), payload: [UInt8](repeating: 0, count: octets - 1), quality: .atMostOnce,
            isRetained: false)
    }

    @Test func `as many wait as may, and what comes then is dropped`() throws {
        var inbox = Self.inbox(count: 2, octets: 100)
        for octets in 1...5 { inbox.receive(try Self.message(octets)) }
        #expect(inbox.take().map(\.octets) == [1, 2])
        #expect(inbox.dropped == DroppedMessages(aboveCount: 3))
        // There is room again.
        inbox.receive(try Self.message(6))
        #expect(inbox.take().map(\.octets) == [6])
        #expect(inbox.take().isEmpty)
        #expect(inbox.dropped.total == 3)
    }

    @Test func `as many octets wait as may, and smaller messages may still fit`() throws {
        var inbox = Self.inbox(count: 10, octets: 10)
        for octets in [6, 5, 4, 1] { inbox.receive(try Self.message(octets)) }
        #expect(inbox.take().map(\.octets) == [6, 4])
        #expect(inbox.dropped == DroppedMessages(aboveOctets: 2))
        inbox.receive(try Self.message(10))
        inbox.receive(try Self.message(11))
        #expect(inbox.take().map(\.octets) == [10])
        #expect(inbox.dropped == DroppedMessages(aboveOctets: 3))
    }

    @Test func `limits below nothing take nothing`() throws {
        for (count, octets) in [(0, 10), (-1, 10), (10, 0), (10, .min)] {
            var inbox = Self.inbox(count: count, octets: octets)
            inbox.receive(try Self.message(1))
            #expect(inbox.take().isEmpty)
            #expect(inbox.dropped.total == 1)
        }
    }

    @Test func `all that somebody else has determined counts`() throws {
        var message = try Self.message(3)
        message.responseTopic = try TopicName("bä")
        message.correlation = CorrelationData([1, 2])
        message.contentType = "text"
        #expect(message.octets == 3 + 3 + 2 + 4)
    }

    @Test func `what nothing can be done with is counted`() {
        var inbox = Self.inbox(count: 1, octets: 1)
        inbox.receive(nil)
        #expect(inbox.dropped == DroppedMessages(withUnusableTopic: 1))
        #expect(inbox.take().isEmpty)
    }

    @Test func `correlation data have as many octets as a packet can carry`() {
        #expect(CorrelationData([])?.octets == [])
        #expect(CorrelationData([UInt8](repeating: 1, count: 65_535)) != nil)
        #expect(CorrelationData([UInt8](repeating: 1, count: 65_536)) == nil)
    }
}
