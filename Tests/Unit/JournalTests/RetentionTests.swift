// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GRDB
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Platform
@testable import Readings

/// The evicted rows of a journal with too many rows, too many octets, or too old rows.
@Suite("Retention")
struct RetentionTests {
    private let folder: TestFolder
    private let configuration: JournalConfiguration
    private let uptime = Uptime()

    /// The time since boot, set by a test.
    private final class Uptime: Sendable {
        private let now = Mutex<Int64>(0)
        var value: Int64 { now.withLock { $0 } }
        func set(_ milliseconds: Int64) { now.withLock { $0 = milliseconds } }
    }

    init() throws {
        folder = try TestFolder()
        configuration = JournalConfiguration(
            path: folder.path("journal.db"), commitRows: 1_000_000, commitInterval: .seconds(3_600), durability: .fast,
            queueCapacity: 1_000_000)
    }

    private func open(_ change: (inout JournalConfiguration) -> Void) throws -> Journal {
        var configuration = configuration
        change(&configuration)
        let clock = BootClock(boot: "now") { [uptime] in uptime.value }
        return try Journal(configuration, clock: clock, logger: Sample.logger)
    }

    private func reading(_ value: Int, device: String = "a", boot: String = "now", up: Int64, unix: Int64? = nil)
        -> Reading
    {
        Reading(
            device: device, characteristic: "2a6e", source: .notify,
            value: [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)], rssi: nil,
            stamp: TimeStamp(
                boot: boot, uptimeMilliseconds: up, unixMilliseconds: unix, quality: unix == nil ? .unsynced : .synced))
    }

    private func write(_ readings: [Reading], to journal: Journal) async {
        let before = journal.statistics.committed
        journal.append(readings)
        journal.requestCommit()
        #expect(await eventually { journal.statistics.committed == before + readings.count })
    }

    private func audit() throws -> Audit { try Audit(path: configuration.path, full: true) }

    // MARK: - Oldest first

    @Test("a journal does not outgrow its size: the oldest rows go, and are counted")
    func size() async throws {
        let journal = try open { $0.maximumMegabytes = 1 }
        for start in stride(from: 0, to: 60_000, by: 10_000) {
            await write((start..<(start + 10_000)).map { reading($0, up: Int64($0)) }, to: journal)
        }
        let books = journal.statistics
        let dropped = books.dropped["journal-size"] ?? 0
        #expect(dropped > 10_000)
        #expect(books.buffered > 10_000, "it is filled")
        #expect(try journal.rows(after: 0, limit: 1).first?.n == Int64(dropped) + 1)
        journal.close()
        let size = try FileManager.default.attributesOfItem(atPath: configuration.path)[.size] as? NSNumber
        // The journal writes a group of rows before others go.
        #expect((size?.intValue ?? .max) < 2 << 20)
        #expect(try audit().balances)
    }

    @Test("the sensor with the most rows loses its oldest rows, and the others keep theirs", arguments: [21, 37, 400])
    func loudest(batch: Int) async throws {
        let journal = try open { $0.maximumRows = 1_000 }
        // Four quiet sensors, one of them later than the others, and a loud sensor with 30 times as many readings as all of them.
        var quiet = 0
        var all: [Reading] = []
        for round in 0..<100 {
            var readings = (0..<60).map { reading(round * 60 + $0, device: "loud", up: Int64(round)) }
            for device in ["a", "b", "c"] { readings.insert(reading(round, device: device, up: Int64(round)), at: 7) }
            if round > 50 { readings.append(reading(round, device: "late", up: Int64(round))) }
            quiet += readings.count - 60
            all += readings
            for start in stride(from: 0, to: readings.count, by: batch) {
                await write(Array(readings[start..<min(start + batch, readings.count)]), to: journal)
            }
        }
        let rows = try journal.rows(after: 0, limit: 2_000)
        #expect(rows.count == 1_000)
        // All rows of the quiet sensors, and the newest rows of the loud sensor, in the order of reception.
        let numbered = zip(Int64(1)..., all).map { (n: $0, reading: $1) }
        let newest = numbered.filter { $0.reading.device == "loud" }.suffix(1_000 - quiet)
        let kept = (numbered.filter { $0.reading.device != "loud" } + newest).sorted { $0.n < $1.n }
        #expect(rows.map(\.n) == kept.map(\.n))
        #expect(rows.map(\.value) == kept.map(\.reading.value))
        journal.close()
        let audit = try audit()
        #expect(audit.balances, "\(audit.complaints)")
        for account in audit.sensors {
            if account.device == "loud" {
                #expect(account.dropped == ["journal-full": 6_000 - (1_000 - quiet)])
            } else {
                #expect(account.dropped.isEmpty, "\(account)")
            }
        }
    }

    @Test("the rows of the same transaction count, too: in a new journal, the first batch is shared out fairly")
    func firstBatch() async throws {
        let journal = try open { $0.maximumRows = 1_000 }
        let quiet = (0..<20).map { reading($0, device: "quiet", up: 1) }
        await write(quiet + (0..<1_480).map { reading($0, device: "loud", up: 2) }, to: journal)
        let rows = try journal.rows(after: 0, limit: 2_000)
        #expect(rows.count == 1_000)
        #expect(rows.prefix(20).map(\.value) == quiet.map(\.value), "the quiet sensor keeps its rows")
        journal.close()
        #expect(try audit().balances)
    }

    @Test("quotas level the greatest ones, and give as many as are too much")
    func quotas() {
        #expect(FairShare.quotas([1: 10, 2: 3, 3: 3], surplus: 5) == [1: 5])
        #expect(FairShare.quotas([1: 10, 2: 9, 3: 3], surplus: 5) == [1: 3, 2: 2])
        #expect(FairShare.quotas([1: 4, 2: 4], surplus: 1).values.reduce(0, +) >= 1)
        #expect(FairShare.quotas([1: 4], surplus: 9) == [1: 4])
        #expect(FairShare.quotas([:], surplus: 9).isEmpty)
    }

    @Test("a row of the longest age stays, and one that is a millisecond older goes")
    func ageBorder() async throws {
        let hour: Int64 = 3_600_000
        uptime.set(10 * hour + 1)
        let journal = try open { $0.maximumAgeHours = 10 }
        await write([reading(1, up: 0), reading(2, up: 1), reading(3, up: 2)], to: journal)
        #expect(try journal.rows(after: 0, limit: 10).map(\.n) == [2, 3])
        journal.close()
        #expect(try audit().total.dropped == ["journal-age": 1])
    }

    @Test("too old rows go, with the rows of unknown age before them")
    func age() async throws {
        let hour: Int64 = 3_600_000
        uptime.set(100 * hour)
        let journal = try open { $0.maximumAgeHours = 10 }
        // Rows of a boot with a wrong clock, of a boot with a right clock, and of this boot, whose clock is right.
        await write(
            [
                reading(1, boot: "lost", up: 5), reading(2, boot: "before", up: 1, unix: 1_000 * hour),
                reading(3, boot: "before", up: 2 * hour, unix: 1_100 * hour),
                reading(4, up: 99 * hour, unix: 1_199 * hour), reading(5, up: 99 * hour),
            ], to: journal)
        #expect(try journal.rows(after: 0, limit: 10).map(\.n) == [4, 5])
        uptime.set(109 * hour - 1)
        await write([reading(6, up: 109 * hour)], to: journal)
        #expect(journal.statistics.buffered == 3)
        uptime.set(109 * hour + 60_000)
        await write([reading(7, up: 109 * hour)], to: journal)
        #expect(try journal.rows(after: 0, limit: 10).map(\.n) == [6, 7])
        journal.close()
        #expect(try audit().total.dropped == ["journal-age": 5])
        #expect(try audit().balances)
    }

    @Test("many too old rows go at once, beyond one check of ages, also while no readings come in")
    func muchTooOld() async throws {
        let journal = try open { $0.maximumAgeHours = 1 }
        await write((0..<120_000).map { reading($0 % 7, up: 0) }, to: journal)
        uptime.set(3_600_001)
        await write([reading(1, up: 3_600_001)], to: journal)
        #expect(await eventually { journal.statistics.buffered == 1 })
        #expect(journal.statistics.dropped == ["journal-age": 120_000])
        journal.close()
        #expect(try audit().balances)
    }

    @Test("rows of earlier boots stay while the clock of this boot is not known to be right")
    func unknownAge() async throws {
        uptime.set(1 << 50)
        let journal = try open { $0.maximumAgeHours = 1 }
        await write([reading(1, boot: "before", up: 1, unix: 5), reading(2, up: 1 << 50)], to: journal)
        #expect(journal.statistics.buffered == 2)
        journal.close()
    }

    @Test("a limit that was lowered is reached in portions, also while nothing comes in")
    func lowered() async throws {
        let before = try open { $0.maximumRows = 1_000_000 }
        await write((0..<300_000).map { reading($0 % 7, up: Int64($0)) }, to: before)
        before.close()
        let journal = try open { $0.maximumRows = 50_000 }
        // Before that, none goes.
        #expect(await eventually { journal.isCounted })
        // No other transaction comes in between.
        let left = journal.queue.sync {
            journal.append([reading(1, up: 300_000)])
            journal.commit()
            return journal.statistics.buffered
        }
        #expect(left > 150_000, "one transaction does not do all of it")
        // A quarter of a million rows, on slow machines and under sanitizers, too.
        #expect(await eventually { journal.statistics.buffered == 50_000 })
        #expect(journal.statistics.dropped == ["journal-full": 250_001])
        journal.close()
        #expect(try audit().balances)
    }

    @Test func `the books of a former release keep what was thinned, and the oldest rows go from now on`() async throws
    {
        let before = try open { $0.maximumRows = 1_000 }
        await write((0..<1_200).map { reading($0, up: Int64($0)) }, to: before)
        before.close()
        // The former release thinned a journal, and kept the place at which it went on.
        let database = try DatabaseQueue(path: configuration.path)
        try await database.write { db in
            try db.execute(sql: "UPDATE loss SET reason = 'thinned'")
            try db.execute(sql: "INSERT INTO counter (name, value) VALUES ('thinned-to', 700)")
        }
        try database.close()
        let journal = try open { $0.maximumRows = 1_000 }
        #expect(await eventually { journal.isCounted })
        await write([reading(1, up: 2_000)], to: journal)
        #expect(journal.statistics.dropped == ["thinned": 200, "journal-full": 1])
        #expect(try journal.rows(after: 0, limit: 1).first?.n == 202)
        journal.close()
        #expect(try audit().balances)
    }
}
