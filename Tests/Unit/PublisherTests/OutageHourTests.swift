// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Publisher
@testable import Readings

/// The broker is away for an hour of the gateway's clock, with two hundred sensors. `make outage` has each of them send
/// every second.
@Suite("An hour without a broker", .serialized)
struct OutageHourTests {
    private static let sensors = 200
    private static let seconds: Int64 = 3_600
    /// Seconds between two readings of a sensor.
    private static let period =
        ProcessInfo.processInfo.environment["MARTLET_OUTAGE_PERIOD"].flatMap { Int64($0) } ?? 60

    private static func stamp(_ second: Int64) -> TimeStamp {
        TimeStamp(
            boot: "5e0c91aa", uptimeMilliseconds: 1_000_000 + second * 1_000,
            unixMilliseconds: 1_767_261_906_000 + second * 1_000, quality: .synced)
    }

    private static func readings(at second: Int64) -> [Reading] {
        (0..<sensors).map { sensor in
            Sample.temperature(Int16(truncatingIfNeeded: second), device: "sensor-\(sensor)", at: stamp(second))
        }
    }

    @Test func `live resumes at once, history follows at its rate, and the last value is never an old one`()
        async throws
    {
        let clock = TestClock(Self.stamp(0))
        let port = try TestPorts.next()
        let rig = try Rig(portWithoutBroker: port, clock: clock)
        let rate = 200
        let publisher = rig.publisher {
            $0.historyRowsPerSecond = rate
            // Small messages, so that the rate is visible.
            $0.historyMaximumBytes = 2_000
            $0.reconnectDelay = .milliseconds(50)...(.milliseconds(50))
        }
        publisher.start()
        var total = 0
        for second in stride(from: 0, to: Self.seconds, by: Int(Self.period)) {
            clock.set(Self.stamp(second))
            rig.journal.append(Self.readings(at: second))
            total += Self.sensors
            #expect(await eventually { rig.journal.pendingCount < 8_000 })
        }
        // The moment at which the broker comes back: the last readings are young.
        let end = Self.seconds - Self.period + 5
        clock.set(Self.stamp(end))
        #expect(await eventually { rig.journal.statistics.buffered == total })
        #expect(publisher.statistics.published == 0)

        let young = Self.sensors * Int((10 - 5) / Self.period + 1)
        let began = ContinuousClock.now
        let broker = try ScriptedBroker(port: port) { ScriptedBroker.obliging($0) }
        #expect(await eventually { publisher.statistics.live == young })
        #expect(await eventually { rig.journal.statistics.delivered >= young })
        try await checkRate(rate, broker, since: began)

        // Later readings do not wait for the history either.
        clock.set(Self.stamp(end + 1))
        rig.journal.append(Self.readings(at: end + 1))
        total += Self.sensors
        #expect(await eventually { publisher.statistics.live == young + Self.sensors })

        publisher.setHistory(.draining)
        #expect(await eventually { rig.journal.statistics.delivered == total })
        publisher.stop(drainingFor: .seconds(2))
        #expect(rig.journal.statistics.balances)
        try check(broker, total: total, live: young + Self.sensors)
    }

    /// History comes at its rate, with a second's worth at the beginning, and one message more. The messages are counted before the time is
    /// taken, so that a slow machine only lowers the rate.
    private func checkRate(_ rate: Int, _ broker: ScriptedBroker, since began: ContinuousClock.Instant) async throws {
        for wanted in [2 * rate, 3 * rate, 4 * rate] {
            var sizes: [Int] = []
            #expect(
                await eventually {
                    sizes = broker.published.filter { $0.topic.hasSuffix("/history") }.map(\.readings.count)
                    return sizes.reduce(0, +) >= wanted
                })
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            let most = Double(rate) * (seconds + 1) + Double(sizes.max() ?? 0)
            #expect(Double(sizes.reduce(0, +)) <= most)
        }
    }

    private func check(_ broker: ScriptedBroker, total: Int, live expected: Int) throws {
        var seen: Set<Int> = []
        var last: [String: Int] = [:]
        var newest: [String: Int] = [:]
        var oldest: [String: Int] = [:]
        var live = 0
        var repeats = 0
        for message in broker.published where message.topic.contains("/dev/") {
            let isLive = message.topic.hasSuffix("/state")
            for reading in message.readings {
                let n = try #require(reading["n"] as? Int)
                let device = try #require(reading["dev"] as? String)
                repeats += seen.insert(n).inserted ? 0 : 1
                newest[device] = max(newest[device] ?? 0, n)
                if isLive {
                    live += 1
                    #expect(n > last[device] ?? 0)
                    last[device] = n
                } else {
                    #expect(reading["historical"] as? Bool == true)
                    #expect(n > oldest[device] ?? 0, "oldest first")
                    oldest[device] = n
                }
            }
        }
        #expect(seen.count == total && seen.max() == total)
        #expect(repeats == 0)
        #expect(live == expected)
        #expect(last == newest)
        #expect(last.count == Self.sensors)
    }
}
