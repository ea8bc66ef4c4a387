// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Limits
import Platform
import Synchronization
import Testing

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Readings

/// The state of a sensor decides whether its silence is judged.
@Suite("Limits and the state of their sensor")
struct LimitAttentionTests {
    private let folder: TestFolder
    private let turned = TurnedClock(uptime: 60_000, unix: 1_790_000_000_000)
    private let journal: Journal
    private let keeper: LimitKeeper

    init() throws {
        folder = try TestFolder()
        turned.set(unix: 1_790_000_000_000, isSynchronized: true)
        journal = try Journal(
            JournalConfiguration(path: folder.path("journal.db"), durability: .fast), clock: .system,
            patience: .seconds(30),
            logger: Sample.logger)
        keeper = LimitKeeper(journal: journal, clock: turned.makeClock(), readers: [.mqtt])
        keeper.apply(SensorLimits(silence: .seconds(60)), to: "s1")
    }

    /// Whether the silence of two minutes is a crossing for a status like this in all this time.
    private func isCrossed(
        maintained: Set<String> = [], _ change: (inout GatewayStatus) -> Void
    ) async -> Bool? {
        guard await eventually({ keeper.state.withLock { $0.isLoaded } }) else { return nil }
        var status = GatewayHealthTests.status(sensors: 1, change)
        for _ in 0..<5 {
            keeper.look(&status, maintained: maintained)
            turned.pass(30_000)
        }
        return status.limits?.first?.isCrossed
    }

    @Test(arguments: SensorState.allCases)
    func `silence is judged unless nothing can be said of the sensor`(state: SensorState) async {
        let isJudged = ![.elsewhere, .unknown, .off].contains(state)
        #expect(await isCrossed { $0.collector.sensors[0].health = state } == isJudged)
    }

    @Test func `a sensor that the collector does not know is silent`() async {
        #expect(await isCrossed { $0.collector.sensors = [] } == true)
    }

    @Test func `a dead radio makes no sensor silent`() async {
        #expect(await isCrossed { $0.controller.state = "hci0 is gone" } == false)
    }

    @Test func `a sensor in maintenance is not silent, and another one's maintenance changes nothing`() async {
        #expect(await isCrossed(maintained: ["s1"]) { _ in } == false)
        #expect(await isCrossed(maintained: ["s2"]) { _ in } == true)
    }

    @Test func `a status of parts that did not answer judges no silence`() async {
        #expect(await isCrossed { $0.late = [LatePart.collector.sentence] } == false)
    }
}
