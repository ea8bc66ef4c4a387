// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GRDB
import Gateway
import Logging
import Platform
import Readings
import Synchronization

@testable import Journal

/// Opens a journal after a cut with the journal's own code, and compares it with the promises.
struct Examination {
    let configuration: JournalConfiguration
    let expectation: Expectation
    /// The journal's promise: with `fast` only the last transactions may be missing.
    let promise: JournalConfiguration.Durability
    /// The number of the reading after the cut: `firstProbe` or more, above the numbers of every workload.
    let probe: ReadingNumber
    let sensors: Int
    /// Rows that a full journal leaves at least to a sensor whose rows it evicts.
    let share: Int

    /// The number of readings in the whole workload: a larger number has leapt.
    let readings: Int
    /// Reserved row numbers at the cut: the numbers of a new file start above them.
    let reservations: [Int64]
    /// False where the cut has left rubbish in place of the used numbers. New numbers then leap over all reserved numbers, and no longer
    /// tell the count of readings.
    let canCountNumbers: Bool
    /// The system's file system, or a recorded one.
    var folders = FolderOperations.system
    /// The leap of numbers when a journal that does not wait for the disk opens after a cut.
    private static let leap: Int64 = 1_000_000

    static let firstProbe: ReadingNumber = 1 << 40

    /// A journal's content, read with plain SQL.
    struct Content {
        var rows: [Int64: ReadingNumber] = [:]
        /// The highest row number so far.
        var sequence: Int64 = 0
        var integrity = ""
        /// Dropped rows, by sensor.
        var dropped: [String: Int] = [:]
        /// Sensors whose books do not balance with their rows.
        var unbalanced: [String] = []
    }

    /// All faults. Calls `confirmed` when the new reading is durable.
    func problems(confirmed: () -> Void = {}) -> [String] {
        var problems: [String] = []
        let log = ErrorLog()
        do {
            let journal = try Journal(configuration, clock: .system, folders: folders, logger: log.logger)
            let books = journal.statistics
            if !books.balances { problems.append("the books do not balance: \(books)") }
            if append(to: journal) { confirmed() } else { problems.append("a new reading does not become durable") }
            if let problem = books.problem { problems.append("it cannot be written: \(problem)") }
            let after = journal.statistics
            if !after.balances { problems.append("the books do not balance after a new reading: \(after)") }
            journal.close()
            problems += log.lines
            let content = try read()
            problems += check(content)
            problems += check(books, content)
        } catch {
            problems += log.lines
            problems.append("\(error)")
        }
        let folder = (configuration.path as NSString).deletingLastPathComponent
        if FileManager.default.fileExists(atPath: folder + "/corrupt") { problems.append("it was taken for corrupt") }
        return problems
    }

    private func append(to journal: Journal) -> Bool {
        let answer = DispatchSemaphore(value: 0)
        let isDurable = Mutex(false)
        let reading = Reading(
            device: "probe", characteristic: "2a6e", source: .notify, value: Workload.value(of: probe, padding: 0),
            rssi: nil,
            stamp: TimeStamp(boot: "bprobe00", uptimeMilliseconds: 1, unixMilliseconds: nil, quality: .unsynced))
        journal.append([reading]) { durable in
            isDurable.withLock { $0 = durable }
            answer.signal()
        }
        journal.requestCommit()
        return answer.wait(timeout: .now() + 20) == .success && isDurable.withLock { $0 }
    }

    private func read() throws -> Content {
        try DatabaseQueue(path: configuration.path).read { db in
            var content = Content()
            let lines = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            content.integrity = lines.prefix(3).joined(separator: "; ")
            let cursor = try Row.fetchCursor(db, sql: "SELECT n, substr(value, 1, 8) FROM reading")
            while let row = try cursor.next() {
                let value: Data = row[1]
                content.rows[row[0]] = Workload.reading(of: value)
            }
            for row in try Row.fetchAll(db, sql: Self.dropped) {
                if let device = row[0] as String? { content.dropped[device] = row[1] }
            }
            content.unbalanced = try String.fetchAll(db, sql: Self.unbalanced)
            content.sequence =
                try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'reading'") ?? 0
            return content
        }
    }

    /// Excludes readings dropped before they had a row.
    private static let dropped = """
        SELECT device.name, SUM(loss.count) FROM loss JOIN device ON device.id = loss.device
        WHERE loss.reason NOT IN ('queue-full', 'closed', 'stopped') GROUP BY device.id
        """

    /// received = delivered + buffered + dropped, for each sensor; written independently of the journal.
    private static let unbalanced = """
        SELECT COALESCE(device.name, ledger.device) || ': received ' || received || ', delivered ' || delivered
            || ', dropped ' || dropped || ', buffered ' || buffered
        FROM (SELECT device, received, delivered,
                (SELECT COALESCE(SUM(count), 0) FROM loss WHERE loss.device = ledger.device) AS dropped,
                (SELECT COUNT(*) FROM reading WHERE reading.device = ledger.device) AS buffered
            FROM ledger) AS ledger
        LEFT JOIN device ON device.id = ledger.device
        WHERE received != delivered + dropped + buffered
        UNION ALL SELECT 'rows of device ' || device || ', which has no books' FROM reading
            WHERE device NOT IN (SELECT device FROM ledger) GROUP BY device
        """

    private func check(_ content: Content) -> [String] {
        var problems: [String] = []
        func expect(_ condition: Bool, _ problem: @autoclosure () -> String) {
            if !condition { problems.append(problem()) }
        }
        expect(content.integrity == "ok", "integrity_check: \(content.integrity)")
        expect(content.unbalanced.isEmpty, "books of sensors: \(content.unbalanced.prefix(3))")
        let readings = Set(content.rows.values)
        expect(readings.count == content.rows.count, "a reading is there twice")
        let new = content.rows.first { $0.value == probe }?.key ?? 0
        expect(
            new > expectation.highestRow,
            "the new row has number \(new); \(expectation.highestRow) was given to the publisher before")
        expect(content.rows.keys.allSatisfy { $0 <= new }, "the new row is not the last one")
        expect(expectation.conflicts.isEmpty, "two readings went out as \(expectation.conflicts.sorted().prefix(5))")
        let changed = expectation.handedOut.filter { n, reading in content.rows[n].map { $0 != reading } ?? false }
        expect(changed.isEmpty, "rows went out as other readings: \(changed.keys.sorted().prefix(5))")
        let gone = goneReadings()
        let missing = expectation.confirmed.subtracting(readings).subtracting(gone)
        switch promise {
        case .powerSafe:
            let back = expectation.settled.filter { content.rows[$0] != nil }
            expect(back.isEmpty, "\(back.count) rows are back that were deleted durably: \(back.sorted().prefix(5))")
        case .fast:
            // A missing reading before a present one is a hole, and not the journal's end.
            let last = readings.filter { $0 < Self.firstProbe }.max() ?? 0
            let holes = unexplained(missing.filter { $0 < last }, content)
            expect(
                holes.isEmpty, "\(holes.count) readings are missing before the last one: \(holes.sorted().prefix(5))")
        }
        return problems
    }

    /// The readings of settled rows: the journal may have deleted them or not.
    private func goneReadings() -> Set<ReadingNumber> {
        let rows = expectation.acknowledged.union(expectation.givenUp)
        return Set(rows.compactMap { expectation.handedOut[$0] })
    }

    private func sensor(of reading: ReadingNumber) -> Int { Workload.sensor(of: reading, among: sensors) }

    /// The missing readings that no eviction explains. A sensor gives its oldest rows, and keeps its share: so many
    /// newer ones have come.
    private func unexplained(_ missing: Set<ReadingNumber>, _ content: Content) -> Set<ReadingNumber> {
        guard !missing.isEmpty else { return [] }
        let kept = content.rows.values.filter { $0 < Self.firstProbe }
        let oldest = Dictionary(kept.map { (sensor(of: $0), $0) }, uniquingKeysWith: min)
        // The newest reading, as far as the files tell.
        let newest = max(
            kept.max() ?? 0, expectation.confirmed.filter { $0 < Self.firstProbe }.max() ?? 0,
            expectation.handedOut.values.max() ?? 0)
        var newer = Array(repeating: 0, count: sensors)
        // No eviction is asked for after the cut.
        var found = missing.filter { $0 >= Self.firstProbe }
        for reading in (0...newest).reversed() {
            let sensor = sensor(of: reading)
            let isExplained = newer[sensor] >= share && oldest[sensor].map { reading < $0 } ?? true
            if !isExplained, missing.contains(reading) { found.insert(reading) }
            newer[sensor] += 1
        }
        return found
    }

    /// Each missing row was delivered or dropped.
    private func check(_ books: JournalStatistics, _ content: Content) -> [String] {
        var problems: [String] = []
        // The new reading is in the file and not in these books.
        var given = Int(content.sequence % Self.leap) - 1
        if given > readings { given -= Int(reservations.filter { $0 <= given }.max() ?? 0) }
        let kept = content.rows.count - 1
        let beforeRow = ["queue-full", "closed", "stopped"].reduce(0) { $0 + (books.dropped[$1] ?? 0) }
        let droppedRows = books.dropped.values.reduce(0, +) - beforeRow
        if books.buffered != kept { problems.append("\(books.buffered) rows in the books, \(kept) in the file") }
        if canCountNumbers, given - kept != books.delivered + droppedRows {
            problems.append(
                "of \(given) rows \(kept) are there, \(books.delivered) delivered and \(droppedRows) dropped")
        }
        guard promise == .powerSafe else { return problems }
        let missing = expectation.confirmed.subtracting(content.rows.values).subtracting(goneReadings())
        let lost = unexplained(missing, content)
        if !lost.isEmpty {
            problems.append("\(lost.count) readings were confirmed and are lost: \(lost.sorted().prefix(5))")
        }
        let bySensor = Dictionary(grouping: missing.filter { $0 < Self.firstProbe }, by: sensor)
        for (sensor, gone) in bySensor {
            let counted = content.dropped[Workload.device(sensor)] ?? 0
            guard gone.count > counted else { continue }
            problems.append("of sensor \(sensor) \(gone.count) readings are gone, \(counted) are counted as dropped")
        }
        if missing.count > droppedRows {
            problems.append("\(missing.count) confirmed readings are gone, \(droppedRows) are counted as dropped")
        }
        return problems
    }
}

/// Errors in the journal's log: a cut is no reason for an error.
private final class ErrorLog: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }
    var logger: Logger { Logger(label: "examination") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: ErrorLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.error

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            log.kept.withLock { $0.append("logged: \(event.message) \(values.joined(separator: " "))") }
        }
    }
}
