// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Publisher
@testable import Readings

/// A message's properties beside its payload: retained or not, with or without an expiry, live or history.
@Suite("Properties of messages", .serialized)
struct MessagePropertyTests {
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
        // A boot that never knew the time, a boot that did, and so on.
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
}
