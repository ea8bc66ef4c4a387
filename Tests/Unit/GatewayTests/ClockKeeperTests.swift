// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Platform
@testable import Publisher
@testable import Readings

/// 1 July 2026, midnight UTC, in milliseconds.
private let midnight: Int64 = 1_782_864_000_000

@Suite("The clock's lessons, kept")
struct ClockKeeperTests {
    private let folder: TestFolder
    private let log = LogLines()

    init() throws { folder = try TestFolder() }

    private func open() throws -> Journal {
        try Journal(JournalConfiguration(path: folder.path("journal.db")), clock: .system, logger: Sample.logger)
    }

    /// Waits until the journal keeps this offset for the newest boot.
    private func keeps(_ offset: Int64, _ journal: Journal) async -> Bool {
        journal.requestCommit()
        return await eventually { (try? journal.boots().last?.offset) == offset }
    }

    @Test("the next run in the same boot knows a time that was set, and a time service corrects it")
    func acrossRuns() async throws {
        let machine = TurnedClock()
        do {
            let journal = try open()
            let clock = machine.makeClock()
            let keeper = ClockKeeper(clock: clock, journal: journal, logger: log.logger)
            keeper.look()
            #expect(clock.trust(unixMilliseconds: midnight) == .taken)
            keeper.look()
            journal.close()
        }
        machine.pass(60_000)
        let journal = try open()
        let clock = machine.makeClock()
        let keeper = ClockKeeper(clock: clock, journal: journal, logger: log.logger)
        #expect(clock.stamp().quality == .holdover)
        #expect(clock.stamp().unixMilliseconds == midnight + 60_000)
        machine.set(unix: midnight + 61_500, isSynchronized: true)
        keeper.look()
        #expect(clock.stamp().quality == .synced)
        #expect(await keeps(midnight + 500, journal))
        journal.close()
        let lines = log.text
        #expect(lines.contains("notice the clock is not known to be right"))
        #expect(lines.contains("clock.source=trusted") && lines.contains("clock.source=kernel"))
        #expect(lines.contains("notice the system's clock was set clock.step_ms="))
    }

    @Test("a journal that opens late gives the clock its knowledge of this boot")
    func late() async throws {
        let machine = TurnedClock()
        let place = folder.path("late")
        let configuration = JournalConfiguration(path: place + "/journal.db")
        do {
            let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
            let clock = machine.makeClock()
            let keeper = ClockKeeper(clock: clock, journal: journal, logger: log.logger)
            #expect(clock.trust(unixMilliseconds: midnight) == .taken)
            keeper.look()
            journal.close()
        }
        let manager = FileManager.default
        try manager.moveItem(atPath: place, toPath: place + ".kept")
        try Data().write(to: URL(fileURLWithPath: place))
        machine.pass(60_000)
        let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        let clock = machine.makeClock()
        let keeper = ClockKeeper(clock: clock, journal: journal, logger: log.logger)
        keeper.look()
        #expect(clock.stamp().quality == .unsynced)
        try manager.removeItem(atPath: place)
        try manager.moveItem(atPath: place + ".kept", toPath: place)
        #expect(await eventually { clock.stamp().quality == .holdover })
        #expect(clock.stamp().unixMilliseconds == midnight + 60_000)
        journal.close()
    }

    @Test("another boot begins without a time")
    func anotherBoot() throws {
        let first = try open()
        let machine = TurnedClock()
        let clock = machine.makeClock()
        _ = clock.trust(unixMilliseconds: midnight)
        ClockKeeper(clock: clock, journal: first, logger: log.logger).look()
        first.close()
        let second = try open()
        let other = TurnedClock(boot: "11111111").makeClock()
        _ = ClockKeeper(clock: other, journal: second, logger: log.logger)
        #expect(other.stamp().quality == .unsynced && other.anchor == nil)
        second.close()
    }

    /// The size of the error: an hour, and twenty years.
    @Test(
        "readings go out with the corrected time: nothing from 1970, and nothing from the future",
        arguments: [3_600_000, 631_152_000_000] as [Int64])
    func published(ahead: Int64) async throws {
        let broker = try Broker()
        let machine = TurnedClock()
        let clock = machine.makeClock()
        let rig = try Rig(broker, clock: clock)
        let subscriber = try Subscriber(port: broker.port)
        // The system's clock shows 1970; then a person sets a time in the future; then a time service corrects the clock.
        rig.append(2)
        machine.pass(1_000)
        #expect(clock.trust(unixMilliseconds: midnight + ahead, insists: true) == .taken)
        rig.append(2)
        machine.pass(1_000)
        machine.set(unix: midnight, isSynchronized: true)
        rig.append(2)
        let publisher = rig.publisher()
        publisher.start()
        #expect(await eventually { subscriber.readings.count >= 6 })
        _ = await settled { subscriber.readings.count }
        publisher.stop(drainingFor: .seconds(1))
        let readings = subscriber.readings.sorted { ($0["n"] as? Int ?? 0) < ($1["n"] as? Int ?? 0) }
        #expect(
            readings.map { $0["clock"] as? String } == [
                "estimated", "estimated", "estimated", "estimated", "synced", "synced",
            ])
        #expect(
            readings.map { $0["ts"] as? Int } == [-2_000, -2_000, -1_000, -1_000, 0, 0].map { Int(midnight) + $0 })
        #expect(await keeps(midnight - 3_000, rig.journal))
    }
}
