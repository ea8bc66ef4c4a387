// SPDX-License-Identifier: Apache-2.0

import Foundation
import Journal
import Synchronization
import Testing

@testable import GatewayBench
@testable import Publisher

/// The removal of a sensor clears its retained messages at the broker.
@Suite("Removed sensors", .serialized)
struct RetainedTests {
    private static let topic = "martlet/dev/sensor-1/availability"

    /// The payloads on a topic, as a permanent subscriber received them.
    private static func words(_ subscriber: Subscriber, _ topic: String = topic) -> [String] {
        subscriber.messages(on: topic).map(\.payload)
    }

    /// The broker's retained messages.
    private static func retained(_ broker: Broker) throws -> [String: String] {
        let messages = try Subscriber(port: broker.port).messages.filter(\.isRetained)
        return Dictionary(messages.map { ($0.topic, $0.payload) }) { $1 }
    }

    private static func publish(_ rig: Rig, _ change: (inout MQTTConfiguration) -> Void = { _ in }) -> Publisher {
        let publisher = rig.publisher(change)
        publisher.start()
        return publisher
    }

    @Test func `the broker forgets a removed sensor, and no other`() async throws {
        let broker = try Broker()
        let rig = try Rig(broker)
        let subscriber = try Subscriber(port: broker.port)
        let publisher = Self.publish(rig)
        for sensor in 1...2 { publisher.setAvailability(of: "sensor-\(sensor)", online: true) }
        #expect(await eventually { Self.words(subscriber) == ["online"] })
        publisher.setAvailability(of: "sensor-1", online: false)
        publisher.forget("sensor-1")
        #expect(await eventually { Self.words(subscriber).last == "" })
        publisher.stop(drainingFor: .seconds(1))
        let left = try Self.retained(broker)
        #expect(left[Self.topic] == nil)
        #expect(left["martlet/dev/sensor-2/availability"] == "online")
        // After the acknowledgement no publisher clears a message a second time.
        let next = Self.publish(rig)
        next.forget("sensor-1")
        #expect(await eventually { subscriber.messages(on: "martlet/gw/gw-test/status").count >= 3 })
        next.stop(drainingFor: .seconds(1))
        #expect(await settled { Self.words(subscriber).count { $0.isEmpty } } == 1)
    }

    /// One flipped bit makes `config` to `#onfig`, or to a control character.
    @Test(arguments: ["homeassistant/sensor/x/#onfig", "martlet/dev/\u{3}ensor-9/availability", "", "+"])
    func `a damaged topic in the journal keeps no message back, and is told once`(_ topic: String) async throws {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(broker)
        rig.journal.setIdentifier("sensor-9", for: "retained:" + topic)
        rig.append(3)
        let log = LogLines()
        for round in 1...2 {
            let publisher = rig.publisher(logger: log.logger)
            publisher.start()
            #expect(await eventually { Set(broker.readings.compactMap { $0["n"] as? Int }) == Set(1...3) })
            #expect(await eventually { RetainedTopics.all(in: rig.journal).keys.allSatisfy { $0 != topic } })
            publisher.stop(drainingFor: .seconds(1))
            #expect(broker.connects.count == round)
        }
        #expect(log.text.components(separatedBy: "its topic is none").count == 2, "\(log.text)")
    }

    @Test func `a broker that is away when a sensor is removed forgets it when it is back`() async throws {
        let broker = try Broker()
        let rig = try Rig(broker)
        let publisher = Self.publish(rig)
        publisher.setAvailability(of: "sensor-1", online: true)
        #expect(await eventually { (try? Self.retained(broker))?[Self.topic] == "online" })
        broker.stop()
        #expect(await eventually { !publisher.statistics.connected })
        publisher.forget("sensor-1")
        try broker.start()
        #expect(await eventually { publisher.statistics.connected })
        #expect(await eventually { RetainedTopics.all(in: rig.journal).isEmpty })
        #expect(try Self.retained(broker)[Self.topic] == nil)
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test func `what the broker has not acknowledged goes again, and a sensor that comes back stays`() async throws {
        // The broker accepts the first of these messages, and hangs up.
        let isFirst = Mutex(true)
        let broker = try ScriptedBroker { event in
            guard case .publish(_, let message) = event, message.payload.isEmpty else {
                return ScriptedBroker.obliging(event)
            }
            let hangsUp = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return hangsUp ? [.close] : ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let publisher = Self.publish(rig)
        publisher.setAvailability(of: "sensor-1", online: true)
        publisher.setAvailability(of: "sensor-2", online: true)
        #expect(await eventually { RetainedTopics.all(in: rig.journal).count == 2 })
        publisher.forget("sensor-1")
        #expect(await eventually { RetainedTopics.all(in: rig.journal).count == 1 })
        #expect(broker.published.count { $0.payload.isEmpty } == 2)
        publisher.setAvailability(of: "sensor-1", online: true)
        #expect(await eventually { RetainedTopics.all(in: rig.journal).count == 2 })
        #expect(await eventually { broker.published.last { $0.topic == Self.topic }?.payload == "online" })
        publisher.stop(drainingFor: .seconds(1))
        let cleared = broker.published.filter { $0.payload.isEmpty }
        #expect(cleared.allSatisfy { $0.topic == Self.topic && $0.isRetained && $0.qos == 1 })
    }

    @Test func `a sensor that a killed run has left online is offline until it reports`() async throws {
        let broker = try Broker()
        let rig = try Rig(broker)
        let first = Self.publish(rig)
        first.setAvailability(of: "sensor-1", online: true)
        first.setAvailability(of: "sensor-2", online: true)
        #expect(await eventually { RetainedTopics.all(in: rig.journal).count == 2 })
        first.stop(drainingFor: .seconds(1))
        #expect(try Self.retained(broker)[Self.topic] == "online")
        let second = rig.publisher()
        second.setAvailability(of: "sensor-2", online: true)
        second.start()
        #expect(await eventually { (try? Self.retained(broker))?[Self.topic] == "offline" })
        // Another gateway may have the sensor now: this one says it once, up to the broker's acknowledgement.
        _ = await settled { RetainedTopics.all(in: rig.journal).count }
        let other = try MosquittoClient(
            "mosquitto_pub", port: broker.port, ["-q", "1", "-r", "-t", Self.topic, "-m", "online"])
        #expect(other.output().isEmpty)
        #expect(try Self.retained(broker)[Self.topic] == "online")
        broker.stop()
        #expect(await eventually { !second.statistics.connected })
        try broker.start()
        #expect(await eventually { second.statistics.connected })
        #expect(await settled { (try? Self.retained(broker))?[Self.topic] } == "online")
        second.setAvailability(of: "sensor-1", online: true)
        #expect(await eventually { (try? Self.retained(broker))?[Self.topic] == "online" })
        second.stop(drainingFor: .seconds(1))
    }

    @Test func `the topics of a former prefix are cleared`() async throws {
        let broker = try Broker()
        let rig = try Rig(broker)
        let first = Self.publish(rig) { $0.topicPrefix = "old" }
        first.setAvailability(of: "sensor-1", online: true)
        #expect(await eventually { RetainedTopics.all(in: rig.journal).count == 1 })
        first.stop(drainingFor: .seconds(1))
        let subscriber = try Subscriber(port: broker.port, topic: "#")
        #expect(await eventually { !Self.words(subscriber, "old/dev/sensor-1/availability").isEmpty })
        let second = Self.publish(rig)
        second.setAvailability(of: "sensor-1", online: true)
        #expect(await eventually { Self.words(subscriber, "old/dev/sensor-1/availability").last == "" })
        #expect(await eventually { RetainedTopics.all(in: rig.journal) == [Self.topic: "sensor-1"] })
        second.stop(drainingFor: .seconds(1))
    }

    @Test func `where nothing may be retained, nothing is cleared, and nothing is forgotten`() async throws {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(broker)
        RetainedTopics(rig.journal).record(Self.topic, of: "sensor-1")
        let publisher = Self.publish(rig) { $0.retain = false }
        publisher.setAvailability(of: "sensor-2", online: true)
        publisher.forget("sensor-1")
        #expect(await eventually { broker.published.contains { $0.topic == "martlet/dev/sensor-2/availability" } })
        publisher.stop(drainingFor: .seconds(1))
        #expect(!broker.published.contains { $0.isRetained || $0.payload.isEmpty })
        #expect(RetainedTopics.all(in: rig.journal) == [Self.topic: "sensor-1"])
    }
}
