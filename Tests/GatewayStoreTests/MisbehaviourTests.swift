// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import Gateway

/// Brokers that answer late, wrongly, or not at all.
@Suite("Misbehaving brokers", .serialized)
struct MisbehaviourTests {
    /// Each reading arrived, repeats are repeats, and nobody who keeps the last value of a sensor went back in time.
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
            // From here it looks as if another client took the session again and again.
            $0.takenOverDelay = .milliseconds(5)...(.milliseconds(20))
        }
        publisher.start()
        for _ in 0..<40 {
            rig.append(40)
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(await eventually(within: .seconds(60)) { rig.journal.statistics.delivered == 1_600 })
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
        let log = LogKeeper()
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
        let log = LogKeeper()
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
        let log = LogKeeper()
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
        let log = LogKeeper()
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
        let ports = try (0..<2).map { _ in try Broker.freePort() }
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

    @Test func `with retain = false a broker that forbids it never sees it`() async throws {
        let broker = try ScriptedBroker { event in
            switch event {
            case .connect(_, let connect) where connect.isWillRetained: [.connack(0x9A)]
            case .publish(_, let message) where message.isRetained: [.disconnect(0x9A)]
            default: ScriptedBroker.obliging(event)
            }
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher {
            $0.retain = false
            $0.publishRaw = true
            $0.statisticsInterval = .milliseconds(20)
        }
        publisher.setAvailability(of: "sensor-1", online: true)
        rig.append(4, at: Sample.unsynced(boot: "aaaaaaaa", up: 5))
        publisher.start()
        rig.append(20)
        #expect(await eventually { rig.journal.statistics.delivered == 24 })
        publisher.setAvailability(of: "sensor-1", online: false)
        var changed = Sample.information
        changed.ip = []
        publisher.setInformation(changed)
        #expect(await eventually { broker.published.contains { $0.payload == "offline" } })
        publisher.stop(drainingFor: .seconds(1))
        #expect(broker.published.last?.topic == "martlet/gw/gw-test/status")
        #expect(broker.connects.count == 1)
        #expect(broker.published.contains { $0.topic.hasSuffix("/stats") })
        #expect(broker.published.contains { $0.topic.hasSuffix("/history") })
        #expect(broker.published.allSatisfy { !$0.isRetained })
    }

    @Test func `a broker that refuses a retained will is asked without one`() async throws {
        let broker = try ScriptedBroker { event in
            switch event {
            case .connect(_, let connect) where connect.isWillRetained: [.connack(0x9A)]
            // Retain Available: no.
            case .connect: [.connack(properties: [0x25, 0])]
            case .publish(_, let message) where message.isRetained: [.disconnect(0x9A)]
            default: ScriptedBroker.obliging(event)
            }
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher()
        publisher.start()
        rig.append(5)
        #expect(await eventually { rig.journal.statistics.delivered == 5 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(broker.connects.map(\.isWillRetained) == [true, false])
    }

    @Test func `live values have an expiry and their clock, history says that it is`() async throws {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(broker)
        let publisher = rig.publisher {
            $0.expireAfterSeconds = 180
            $0.sessionExpirySeconds = 77
        }
        rig.append(4, at: Sample.unsynced(boot: "aaaaaaaa", up: 5))
        rig.append(4)
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 8 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(broker.connects.map(\.sessionExpiry) == [77])
        let live = broker.published.filter { $0.topic.hasSuffix("/state") }
        #expect(live.count == 4)
        #expect(live.allSatisfy { $0.expiry == 180 && $0.user == ["clock": "synced"] })
        let history = broker.published.filter { $0.topic.hasSuffix("/history") }
        #expect(!history.isEmpty)
        #expect(
            history.allSatisfy { $0.expiry == nil && $0.user == ["clock": "unsynced", "historical": "true"] })
        #expect(
            broker.published.filter { $0.topic.contains("/gw/") }.allSatisfy { $0.user.isEmpty && $0.expiry == nil })
    }

    @Test func `readings with and without a time never share a message`() async throws {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(broker)
        let publisher = rig.publisher { $0.liveWindow = .seconds(-1) }
        // Of a boot that never knew the time, of one that did, and so on.
        for round in 0..<6 {
            rig.append(
                40,
                at: round.isMultiple(of: 2)
                    ? Sample.unsynced(boot: "aaaaaaa\(round)", up: 5)
                    : TimeStamp(
                        boot: "aaaaaaa\(round)", uptimeMilliseconds: 5, unixMilliseconds: 1_700_000_000_000,
                        quality: .synced))
        }
        #expect(await eventually { rig.journal.statistics.committed == 240 })
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 240 })
        publisher.stop(drainingFor: .seconds(1))
        let history = broker.published.filter { $0.topic.hasSuffix("/history") }
        #expect(history.contains { $0.readings.count > 1 })
        for message in history {
            let times = message.readings.count { $0["ts"] != nil }
            #expect(times == 0 || times == message.readings.count)
            #expect(message.user["clock"] == (times == 0 ? "unsynced" : "synced"))
        }
        for messages in Dictionary(grouping: history, by: \.topic).values {
            let numbers = messages.flatMap(\.readings).compactMap { $0["n"] as? Int }
            #expect(numbers == numbers.sorted() && numbers.count == 60)
        }
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

    @Test func `a broker that ends the connection over a large message gets smaller ones`() async throws {
        let broker = try ScriptedBroker { event in
            if case .publish(_, let message) = event, message.payload.utf8.count > 3_000 { return [.disconnect(0x95)] }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher()
        rig.append(200, at: Sample.unsynced(boot: "aaaaaaaa", up: 5))
        rig.append(1)
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 201 })
        publisher.stop(drainingFor: .seconds(1))
    }

    /// Refused in words, with the connection, and unsent because of the broker's Maximum Packet Size.
    @Test(arguments: 0..<3)
    func `a reading that is too large for the broker is given up and counted, and those behind it are not`(
        _ way: Int
    ) async throws {
        let broker = try ScriptedBroker { event in
            // Maximum Packet Size 1,000.
            if case .connect = event, way == 2 { return [.connack(properties: [0x27, 0, 0, 3, 0xE8])] }
            guard case .publish(_, let message) = event, message.payload.utf8.count > 900 else {
                return ScriptedBroker.obliging(event)
            }
            return way == 0 ? [.puback(message.packetID, 0x95)] : [.disconnect(0x95)]
        }
        let rig = try Rig(broker)
        let log = LogKeeper()
        let publisher = rig.publisher(logger: log.logger) {
            $0.liveWindow = .seconds(-1)
            $0.reconnectDelay = .milliseconds(5)...(.milliseconds(20))
        }
        let stamp = rig.clock.stamp()
        let large = Reading(
            device: "sensor-1", characteristic: "2a6e", source: .notify, value: [UInt8](repeating: 7, count: 500),
            rssi: nil, stamp: stamp)
        rig.append(40)
        rig.journal.append([large])
        rig.append(40)
        #expect(await eventually { rig.journal.statistics.committed == 81 })
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 80 })
        #expect(await eventually { rig.journal.statistics.buffered == 0 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(rig.journal.statistics.dropped["refused"] == 1)
        #expect(rig.journal.statistics.balances)
        #expect(log.text.contains("does not take a message of its size"))
    }

    @Test func `a broker that takes only small messages makes them no smaller for the others`() async throws {
        let isLarge: @Sendable (MQTTPacket.Publish) -> Bool = {
            $0.topic.hasSuffix("/history") && $0.payload.utf8.count > 900
        }
        // Takes single readings only, and goes when messages have got small.
        let hasShrunk = Mutex(false)
        let small = try ScriptedBroker { event in
            guard case .publish(_, let message) = event, message.topic.hasSuffix("/history") else {
                return ScriptedBroker.obliging(event)
            }
            guard message.readings.count > 1 else {
                return hasShrunk.withLock { $0 } ? [.reset] : [.puback(message.packetID)]
            }
            if !isLarge(message) { hasShrunk.withLock { $0 = true } }
            return [.puback(message.packetID, 0x95)]
        }
        let large = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(small)
        let publisher = rig.publisher {
            $0.brokers = ["127.0.0.1:\(small.port)", "127.0.0.1:\(large.port)"]
            $0.liveWindow = .seconds(-1)
        }
        rig.append(400)
        #expect(await eventually { rig.journal.statistics.committed == 400 })
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 400 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(small.published.contains(where: isLarge))
        #expect(large.published.contains(where: isLarge))
    }

    @Test func `history keeps to its rate, can be paused, and be drained`() async throws {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(broker)
        let publisher = rig.publisher {
            $0.historyRowsPerSecond = 1
            $0.historyMaximumBytes = 1_000
        }
        publisher.setHistory(.paused)
        rig.append(400, at: Sample.unsynced(boot: "aaaaaaaa", up: 5))
        rig.append(4)
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 4 })
        #expect(publisher.statistics.historyMode == "paused")
        #expect(!broker.published.contains { $0.topic.hasSuffix("/history") })
        publisher.setHistory(.normal)
        #expect(await eventually { rig.journal.statistics.delivered > 4 })
        #expect(rig.journal.statistics.delivered < 100, "a message, and a second for each of its rows")
        publisher.setHistory(.draining)
        #expect(await eventually { rig.journal.statistics.delivered == 404 })
        #expect(await eventually { publisher.statistics.historyMode == "normal" })
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test func `a value that is kept back for long does not hold up the history of others`() async throws {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(broker)
        let publisher = rig.publisher { $0.liveWindow = .milliseconds(200) }
        var pacing = LivePacingRule()
        pacing.minimumInterval = .seconds(3_600)
        publisher.describe("sensor-0", SensorDescription(pacing: pacing))
        publisher.start()
        rig.append(8)
        #expect(await eventually { rig.journal.statistics.delivered == 7 })
        rig.append(100, at: Sample.unsynced(boot: "aaaaaaaa", up: 5))
        #expect(await eventually { rig.journal.statistics.delivered == 107 })
        #expect(!broker.readings.contains { $0["n"] as? Int == 5 })
        // A newer value takes its place: then it is history like any other.
        rig.append(4)
        #expect(await eventually { rig.journal.statistics.delivered == 111 })
        #expect(broker.readings.filter { $0["n"] as? Int == 5 }.map { $0["historical"] as? Bool } == [true])
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test func `coalesced values go by history on top of its rate, or are dropped and counted`() async throws {
        for suppressed in [LivePacing.Suppressed.history, .drop] {
            let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
            let rig = try Rig(broker)
            let publisher = rig.publisher {
                $0.historyRowsPerSecond = 1
                $0.liveWindow = .milliseconds(400)
            }
            var pacing = LivePacingRule()
            pacing.minimumInterval = .milliseconds(200)
            pacing.suppressed = suppressed
            for sensor in 0..<4 { publisher.describe("sensor-\(sensor)", SensorDescription(pacing: pacing)) }
            publisher.start()
            for _ in 0..<20 {
                rig.append(20)
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(
                await eventually {
                    let books = rig.journal.statistics
                    return books.delivered + (books.dropped["coalesced"] ?? 0) == 400
                })
            publisher.stop(drainingFor: .seconds(1))
            let live = broker.published.filter { $0.topic.hasSuffix("/state") }.flatMap(\.readings)
            #expect(live.count < 100)
            // The newest of each sensor.
            #expect(Set(live.compactMap { $0["n"] as? Int }).isSuperset(of: 397...400))
            let history = broker.published.filter { $0.topic.hasSuffix("/history") }.flatMap(\.readings)
            #expect(history.isEmpty == (suppressed == .drop))
            #expect((rig.journal.statistics.dropped["coalesced"] ?? 0 > 0) == (suppressed == .drop))
            #expect(rig.journal.statistics.balances)
        }
    }
}
