// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Platform
@testable import Publisher
@testable import Readings

/// Brokers with late, wrong or missing answers.
@Suite("Misbehaving brokers", .serialized)
struct MisbehaviourTests {
    /// Every reading has arrived, repeats are marked, and a subscriber's last value of a sensor never went back in time.
    private static func check(_ readings: [[String: Any]], count: Int) throws {
        var payloads: [Int: Double] = [:]
        var newest: [String: Int] = [:]
        for reading in readings {
            let n = try #require(reading["n"] as? Int)
            let value = try #require((reading["temperature"] as? NSNumber)?.doubleValue)
            #expect(payloads[n] == nil || payloads[n] == value)
            payloads[n] = value
            guard reading["historical"] == nil, let device = reading["dev"] as? String else { continue }
            #expect(n >= newest[device, default: 0])
            newest[device] = n
        }
        #expect(Set(payloads.keys) == Set(1...count))
    }

    @Test func `a broker that answers slowly gets what it can take, and no more at once`() async throws {
        let broker = try ScriptedBroker { event in
            switch event {
            // Receive Maximum 5.
            case .connect: [.connack(properties: [0x21, 0, 5])]
            case .publish: []
            case .idle(_, let open): open.map { .puback($0) }
            }
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher()
        publisher.start()
        rig.append(60)
        #expect(await eventually { rig.journal.statistics.delivered == 60 })
        #expect(broker.mostOpen == 5)
        publisher.stop(drainingFor: .seconds(2))
        try Self.check(broker.readings, count: 60)
    }

    @Test(arguments: 1...4)
    func `lost acknowledgements and connections that break at random lose nothing`(_ seed: UInt64) async throws {
        let random = Mutex(SeededGenerator(seed: seed))
        let broker = try ScriptedBroker { event in
            let dice = random.withLock { Int.random(in: 0..<1_000, using: &$0) }
            switch event {
            case .publish(_, let message) where message.qos > 0:
                switch dice {
                case 0..<8: return [.reset]
                case 8..<12: return [.puback(message.packetID), .reset]
                case 12..<14: return [.disconnect(0x8B)]
                case 14..<20: return []
                default: return [.puback(message.packetID)]
                }
            default: return ScriptedBroker.obliging(event)
            }
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher {
            $0.acknowledgementTimeout = .milliseconds(300)
            $0.liveWindow = .milliseconds(500)
            $0.reconnectDelay = .milliseconds(5)...(.milliseconds(20))
            // The publisher sees the effect of another client that takes the session again and again.
            $0.takenOverDelay = .milliseconds(5)...(.milliseconds(20))
        }
        publisher.start()
        for _ in 0..<40 {
            rig.append(40)
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(await eventually { rig.journal.statistics.delivered == 1_600 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(broker.connects.count > 1)
        try Self.check(broker.readings, count: 1_600)
        #expect(rig.journal.statistics.balances)
    }

    @Test func `one message that is never acknowledged ends the connection, though all after it are`() async throws {
        let lost = Mutex<UInt16?>(nil)
        let broker = try ScriptedBroker { event in
            guard case .publish(0, let message) = event, message.topic.hasSuffix("/state") else {
                return ScriptedBroker.obliging(event)
            }
            let isLost = lost.withLock { lost in
                if lost == nil { lost = message.packetID }
                return lost == message.packetID
            }
            return isLost ? [] : [.puback(message.packetID)]
        }
        let rig = try Rig(broker)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger) { $0.acknowledgementTimeout = .milliseconds(300) }
        publisher.start()
        var count = 0
        // Something is acknowledged all the time.
        let isGivenUp = await eventually {
            rig.append(4)
            count += 4
            return broker.connects.count > 1
        }
        #expect(isGivenUp)
        #expect(log.text.contains("not acknowledged a message"))
        #expect(await eventually { rig.journal.statistics.delivered == count })
        publisher.stop(drainingFor: .seconds(1))
        try Self.check(broker.readings, count: count)
    }

    @Test func `a live row that meets a used up quota is sent again before a later one`() async throws {
        let answers = Mutex<[UInt8]>([0x97])
        let broker = try ScriptedBroker { event in
            guard case .publish(_, let message) = event, message.topic.hasSuffix("/state") else {
                return ScriptedBroker.obliging(event)
            }
            return [.puback(message.packetID, answers.withLock { $0.isEmpty ? 0 : $0.removeFirst() })]
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher { $0.liveWindow = .seconds(3_600) }
        publisher.start()
        rig.journal.append([Sample.temperature(1, device: "a", at: rig.clock.stamp())])
        #expect(await eventually { publisher.statistics.lastError?.contains("quota") == true })
        rig.journal.append([Sample.temperature(2, device: "b", at: rig.clock.stamp())])
        #expect(await eventually { broker.readings.contains { $0["n"] as? Int == 2 } })
        #expect(broker.readings.compactMap { $0["n"] as? Int } == [1, 1, 2])
        #expect(await eventually { rig.journal.statistics.delivered == 2 })
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test func `a used up quota stops everything for a while, loses nothing, and is said`() async throws {
        let refusals = Mutex(3)
        let broker = try ScriptedBroker { event in
            guard case .publish(_, let message) = event, message.topic.hasSuffix("/state") else {
                return ScriptedBroker.obliging(event)
            }
            let isRefused = refusals.withLock { left in
                defer { left -= 1 }
                return left > 0
            }
            return [.puback(message.packetID, isRefused ? 0x97 : 0)]
        }
        let rig = try Rig(broker)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger) { $0.liveWindow = .seconds(3) }
        publisher.start()
        rig.append(10)
        #expect(await eventually { rig.journal.statistics.delivered == 10 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(log.text.contains("takes nothing more for now"))
        #expect(log.text.contains("quota"))
        #expect(broker.connects.count == 1)
        var newest: [String: Int] = [:]
        var seen = 0
        // The first three were not taken.
        for message in broker.published where message.topic.hasSuffix("/state") {
            seen += 1
            guard seen > 3, let reading = message.readings.first, let device = reading["dev"] as? String else {
                continue
            }
            let n = try #require(reading["n"] as? Int)
            #expect(n >= newest[device, default: 0])
            newest[device] = n
        }
        #expect(Set(broker.readings.compactMap { $0["n"] as? Int }) == Set(1...10))
    }

    @Test func `a session that another client has taken is not fought for`() async throws {
        let broker = try ScriptedBroker { event in
            if case .connect = event { return [.connack(), .sleep(milliseconds: 20), .disconnect(0x8E)] }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger)
        publisher.start()
        rig.append(1)
        #expect(await eventually { publisher.statistics.lastError?.contains("another client") == true })
        #expect(publisher.statistics.lastError?.contains("martlet-gw-test") == true)
        // Half of 30 seconds at the least, though ordinary waits are short here.
        let wait = try #require(log.text.firstMatch(of: /mqtt\.next_try=([0-9.]+) seconds/).flatMap { Double($0.1) })
        #expect(wait >= 15)
        publisher.stop(drainingFor: .zero)
        #expect(broker.connects.count == 1)
    }

    @Test func `a broker that has moved says where to, and the next one is tried`() async throws {
        let moved = try ScriptedBroker { event in
            // Server Reference "b.example:1884".
            let text = Array("b.example:1884".utf8)
            return [.connack(0x9D, properties: [0x1C, 0, UInt8(text.count)] + text)]
        }
        let real = try Broker()
        let rig = try Rig(moved)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger) {
            $0.brokers = ["127.0.0.1:\(moved.port)", "127.0.0.1:\(real.port)"]
        }
        publisher.start()
        rig.append(5)
        #expect(await eventually { rig.journal.statistics.delivered == 5 })
        #expect(publisher.statistics.broker == "127.0.0.1:\(real.port)")
        #expect(log.text.contains("b.example:1884"))
        publisher.stop(drainingFor: .seconds(1))
        withExtendedLifetime(moved) {}
    }

    @Test func `brokers of a cluster are tried in turn`() async throws {
        let ports = try (0..<2).map { _ in try TestPorts.next() }
        let real = try Broker()
        let rig = try Rig(real)
        let publisher = rig.publisher {
            $0.brokers = ["127.0.0.1:\(ports[0])", "127.0.0.1:\(ports[1])", "127.0.0.1:\(real.port)"]
            // Within a round there is no wait: a second round would take longer than the test.
            $0.reconnectDelay = .seconds(600)...(.seconds(600))
        }
        publisher.start()
        rig.append(5)
        #expect(await eventually { rig.journal.statistics.delivered == 5 })
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test func `live values do not wait for history that is on its way`() async throws {
        // History is never acknowledged.
        let broker = try ScriptedBroker { event in
            if case .publish(_, let message) = event, message.topic.hasSuffix("/history") { return [] }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher {
            $0.maximumInFlight = 8
            $0.historyMaximumBytes = 1_000
        }
        rig.append(2_000, at: Sample.unsynced(boot: "aaaaaaaa", up: 5))
        publisher.start()
        #expect(await eventually { broker.published.count { $0.topic.hasSuffix("/history") } == 4 })
        for _ in 0..<5 { rig.append(20) }
        #expect(await eventually { rig.journal.statistics.delivered == 100 })
        #expect(broker.published.count { $0.topic.hasSuffix("/history") } == 4)
        publisher.stop(drainingFor: .zero)
    }

    @Test func `a broker that takes no live values gets them as history, once they are old`() async throws {
        let broker = try ScriptedBroker { event in
            if case .publish(_, let message) = event, message.topic.hasSuffix("/state") {
                return [.puback(message.packetID, 0x87)]
            }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher { $0.liveWindow = .milliseconds(300) }
        publisher.start()
        rig.append(40)
        #expect(await eventually { rig.journal.statistics.delivered == 40 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(publisher.statistics.lastError?.contains("access list") == true)
        let history = broker.published.filter { $0.topic.hasSuffix("/history") }.flatMap(\.readings)
        #expect(Set(history.compactMap { $0["n"] as? Int }) == Set(1...40))
    }
}
