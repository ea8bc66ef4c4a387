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

    @Test("quotas level the greatest ones, and give as many as are too much")
    func quotas() {
        #expect(FairShare.quotas([1: 10, 2: 3, 3: 3], surplus: 5) == [1: 5])
        #expect(FairShare.quotas([1: 10, 2: 9, 3: 3], surplus: 5) == [1: 3, 2: 2])
        #expect(FairShare.quotas([1: 4, 2: 4], surplus: 1).values.reduce(0, +) >= 1)
        #expect(FairShare.quotas([1: 4], surplus: 9) == [1: 4])
        #expect(FairShare.quotas([:], surplus: 9).isEmpty)
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

    // MARK: - Thinning

    @Test(
        "thinning keeps the least, the greatest and a typical reading of each sensor and window, as they were received")
    func thin() async throws {
        let journal = try open {
            $0.maximumRows = 6_000
            $0.dropPolicy = .thin
            $0.thinWindow = .seconds(100)
        }
        // One reading a second from each of two sensors; one sensor has a spike.
        var readings: [Reading] = []
        for second in 0..<4_000 {
            let up = Int64(second) * 1_000
            readings.append(reading(2_000 + second % 7, device: "a", up: up))
            readings.append(reading(second == 150 ? 9_000 : 100, device: "b", up: up))
        }
        await write(readings, to: journal)
        let rows = try journal.rows(after: 0, limit: 10_000)
        #expect(rows.count < 6_000)
        let books = journal.statistics
        #expect(books.dropped == ["thinned": 8_000 - rows.count])
        let old = rows.filter { $0.uptimeMilliseconds < 2_000_000 }
        #expect(old.count < 130)
        for window in Int64(0)..<20 {
            let inside = old.filter { row in row.uptimeMilliseconds / 100_000 == window && row.device == 1 }
            let values: [UInt8] = inside.compactMap { $0.value.first }.sorted()
            #expect(values == [208, 211, 214], "2000, 2003 and 2006, window \(window)")
        }
        #expect(old.contains { $0.value == [0x28, 0x23] }, "the spike is still there")
        for row in rows {
            #expect(row.uptimeMilliseconds / 1_000 == (row.n - 1) / 2, "rows are as they were received")
        }
        #expect(rows.last?.n == 8_000)
        journal.close()
        #expect(try audit().balances)
    }

    @Test("when all is thin and there is still too much, the oldest rows go")
    func thinEnough() async throws {
        let journal = try open {
            $0.maximumRows = 1_000
            $0.dropPolicy = .thin
            $0.thinWindow = .milliseconds(1)
        }
        for start in stride(from: 0, to: 10_000, by: 2_500) {
            await write((start..<(start + 2_500)).map { reading($0, up: Int64($0)) }, to: journal)
        }
        #expect(journal.statistics.dropped == ["journal-full": 9_000])
        #expect(try journal.rows(after: 0, limit: 1).first?.n == 9_001)
        journal.close()
        #expect(try audit().balances)
    }

    @Test("windows of many sensors are thinned as a whole, a part of the work in each transaction")
    func manySensors() async throws {
        let journal = try open {
            $0.maximumRows = 70_000
            $0.dropPolicy = .thin
            $0.thinWindow = .seconds(300)
        }
        // One reading a second from each of 200 sensors: a window has 60,000 readings.
        for start in stride(from: 0, to: 700, by: 100) {
            let readings = (start..<(start + 100)).flatMap { second in
                (0..<200).map { reading(second % 50, device: "s\($0)", up: Int64(second) * 1_000) }
            }
            await write(readings, to: journal)
        }
        let rows = try journal.rows(after: 0, limit: 100_000)
        let windows = Dictionary(grouping: rows) { [$0.device, $0.uptimeMilliseconds / 300_000] }
        for device in Int64(1)...200 {
            #expect(windows[[device, 0]]?.count == 3)
            #expect(windows[[device, 2]]?.count == 100, "this window is not over")
        }
        #expect(rows.count <= 70_000)
        #expect(journal.statistics.dropped == ["thinned": 140_000 - rows.count])
        journal.close()
        #expect(try audit().balances)
    }

    @Test("a lowered limit is reached in portions, also while no readings come in", arguments: [false, true])
    func lowered(_ thins: Bool) async throws {
        let before = try open { $0.maximumRows = 1_000_000 }
        await write((0..<300_000).map { reading($0 % 7, up: Int64($0)) }, to: before)
        before.close()
        let journal = try open {
            $0.maximumRows = 50_000
            $0.dropPolicy = thins ? .thin : .oldest
            $0.thinWindow = .milliseconds(1)
        }
        // Before the count no row goes.
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

    @Test("values without a number are thinned to the first and the last of their window")
    func undecoded() {
        var names = JournalNames()
        names.add(characteristic: "ffe1", id: 1)
        names.add(characteristic: "2a6e", id: 2)
        func rows(_ characteristic: Int64, _ values: [[UInt8]]) -> [JournalRow] {
            values.enumerated().map { index, value in
                var row = Sample.row(Int64(index), value: value)
                row.characteristic = characteristic
                return row
            }
        }
        func thinned(_ rows: [JournalRow]) -> [Int64] {
            var thinner = Thinner(window: 1 << 40)
            for row in rows { thinner.measure(row, names: names) }
            for row in rows { thinner.choose(row, names: names) }
            return rows.map(\.n).filter { !thinner.kept.contains($0) }
        }
        #expect(thinned(rows(1, [[1], [2], [3], [4]])) == [1, 2])
        #expect(
            thinned(rows(2, [[1, 0], [5, 0], [9], [8, 0], [9, 0]])) == [3], "one of them is damaged, and stays")
        #expect(thinned(rows(2, [[9, 0], [1, 0], [5, 0], [8, 0]])) == [3], "the mean is 5.75")
        #expect(thinned(rows(2, [[5, 0], [5, 0], [5, 0], [5, 0]])) == [2, 3])
        #expect(thinned(rows(2, [[5, 0], [1, 0]])) == [])
        #expect(thinned(rows(7, [[5, 0], [1, 0], [3, 0]])) == [1])
    }

    @Test("a window is thinned by every number of its readings, packets in turns apart, and never by its events")
    func severalNumbers() {
        func thinned(_ characteristic: String, _ values: [[UInt8]]) -> [Int64] {
            var names = JournalNames()
            names.add(characteristic: characteristic, id: 1)
            let rows = values.enumerated().map { index, value in
                var row = Sample.row(Int64(index), value: value)
                row.characteristic = 1
                return row
            }
            var thinner = Thinner(window: 1 << 40)
            for row in rows { thinner.measure(row, names: names) }
            for row in rows { thinner.choose(row, names: names) }
            let kept = Set(thinner.kept)
            #expect(kept.count == thinner.kept.count)
            return rows.map(\.n).filter { !kept.contains($0) }
        }
        /// Temperature in tenths of a degree and humidity in tenths of a percent, as MiBeacon sends both.
        func both(_ temperature: UInt8, _ humidity: UInt8) -> [UInt8] {
            [0xAA, 0x01, 0x0D, 0x10, 4, temperature, 0, humidity, 0]
        }
        func temperature(_ tenths: UInt8) -> [UInt8] { [0xAA, 0x01, 0x04, 0x10, 2, tenths, 0] }
        func humidity(_ tenths: UInt8) -> [UInt8] { [0xAA, 0x01, 0x06, 0x10, 2, tenths, 0] }
        #expect(
            thinned("mibeacon", [both(10, 50), both(50, 50), both(30, 90), both(31, 10), both(32, 50), both(33, 50)])
                == [4, 5],
            "0 and 1 are the ends of the temperature, 2 and 3 of the humidity; 3 and 0 are typical")
        #expect(
            thinned(
                "mibeacon", [1, 2, 3, 4].flatMap { [temperature($0), humidity(100 - $0)] }) == [4, 5],
            "the third of each is no end, and not nearer to the mean than the second")
        let press: [UInt8] = [0x40, 0x01, 0x50, 0x3A, 0x01]
        #expect(thinned("bthome", Array(repeating: press, count: 5)) == [])
        let level: [UInt8] = [0x40, 0x01, 0x50]
        #expect(thinned("bthome", Array(repeating: level, count: 5)) == [2, 3, 4])
    }
}
