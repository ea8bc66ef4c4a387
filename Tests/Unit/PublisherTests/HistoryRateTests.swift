// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Publisher
@testable import Readings

/// The rate of history, and the messages beside it.
@Suite("The rate of history", .serialized)
struct HistoryRateTests {
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
        let began = ContinuousClock.now
        publisher.setHistory(.normal)
        for wanted in [1, 10] {
            #expect(await eventually { rig.journal.statistics.delivered - 4 >= wanted })
            // The messages are counted before the time is taken, so that a slow machine only lowers the rate. The allowance is a second's
            // worth at the beginning, and one message more.
            let messages = broker.published.filter { $0.topic.hasSuffix("/history") }.map(\.readings.count)
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            #expect(Double(messages.reduce(0, +)) <= seconds + 1 + Double(messages.max() ?? 0))
        }
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
        rig.sensors.describe("sensor-0", SensorDescription(pacing: pacing))
        publisher.start()
        rig.append(8)
        #expect(await eventually { rig.journal.statistics.delivered == 7 })
        rig.append(100, at: Sample.unsynced(boot: "aaaaaaaa", up: 5))
        #expect(await eventually { rig.journal.statistics.delivered == 107 })
        #expect(!broker.readings.contains { $0["n"] as? Int == 5 })
        // A newer value replaces the live value: then the older value is history like any other.
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
            let interval = Duration.milliseconds(200)
            pacing.minimumInterval = interval
            pacing.suppressed = suppressed
            for sensor in 0..<4 { rig.sensors.describe("sensor-\(sensor)", SensorDescription(pacing: pacing)) }
            let began = ContinuousClock.now
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
            // For each sensor one message at the beginning of each interval, and one at the end.
            let intervals = (ContinuousClock.now - began) / interval
            #expect(Double(live.count) <= 4 * (intervals + 2))
            // The newest of each sensor.
            #expect(Set(live.compactMap { $0["n"] as? Int }).isSuperset(of: 397...400))
            let history = broker.published.filter { $0.topic.hasSuffix("/history") }.flatMap(\.readings)
            #expect(history.isEmpty == (suppressed == .drop))
            #expect((rig.journal.statistics.dropped["coalesced"] ?? 0 > 0) == (suppressed == .drop))
            #expect(rig.journal.statistics.balances)
        }
    }
}
