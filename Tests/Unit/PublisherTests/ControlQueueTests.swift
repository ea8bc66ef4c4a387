// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Publisher
@testable import Readings

@Suite("The gateway's own messages", .serialized)
struct ControlQueueTests {
    private static func word(_ topic: String, _ text: String) -> OutgoingMessage {
        OutgoingMessage(topic: topic, payload: Array(text.utf8), retain: true)
    }

    private static func all(_ queue: inout ControlQueue) -> [OutgoingMessage] {
        var all: [OutgoingMessage] = []
        while let message = queue.popFirst() { all.append(message) }
        return all
    }

    @Test func `of each topic only the newest word waits, in its old place`() {
        var queue = ControlQueue()
        for round in 0..<1_000 {
            queue.append(Self.word("a", "\(round)"))
            queue.append(Self.word("b", "\(round)"))
        }
        #expect(queue.count == 2)
        #expect(Self.all(&queue) == [Self.word("a", "999"), Self.word("b", "999")])
        #expect(queue.isEmpty)
    }

    @Test func `what comes back does not undo what was said since, waiting or sent`() {
        var queue = ControlQueue()
        let online = Self.word("a", "online")
        let offline = Self.word("a", "offline")
        queue.append(online)
        #expect(Self.all(&queue) == [online])
        queue.append(offline)
        queue.putBack(online)
        #expect(Self.all(&queue) == [offline])
        queue.putBack(online)
        #expect(queue.isEmpty)
        queue.putBack(offline)
        #expect(Self.all(&queue) == [offline])
    }

    @Test func `a quota that stops the news that a sensor is back does not bring the news back after a newer one`()
        async throws
    {
        let isFirst = Mutex(true)
        let broker = try ScriptedBroker { event in
            guard case .publish(_, let message) = event, message.topic.hasSuffix("/availability") else {
                return ScriptedBroker.obliging(event)
            }
            let isRefused = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            // Time enough for the sensor to go.
            return isRefused
                ? [.sleep(milliseconds: 300), .puback(message.packetID, 0x97)] : [.puback(message.packetID)]
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher()
        publisher.setAvailability(of: "sensor-1", online: true)
        publisher.start()
        #expect(await eventually { broker.published.contains { $0.topic.hasSuffix("/availability") } })
        publisher.setAvailability(of: "sensor-1", online: false)
        #expect(await eventually { publisher.statistics.lastError?.contains("quota") == true })
        // Readings come after everything else.
        rig.append(4)
        #expect(await eventually { rig.journal.statistics.delivered == 4 })
        #expect(broker.published.last { $0.topic.hasSuffix("/availability") }?.payload == "offline")
        publisher.stop(drainingFor: .seconds(1))
    }
}
