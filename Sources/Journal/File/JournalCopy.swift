// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB
import Glibc
import Readings

/// Copies of a journal for a backup, and journals made of such copies.
package enum JournalCopy {
    /// The content of a copy.
    package struct Content: Codable, Equatable, Sendable {
        /// Waiting readings.
        package var rows: Int
        /// The greatest number of a reading ever.
        package var greatest: Int64

        package init(rows: Int, greatest: Int64) { (self.rows, self.greatest) = (rows, greatest) }
    }

    /// Copies a journal at one moment into a new file, also beside a running gateway.
    ///
    /// - Throws: ``JournalError/full(path:)`` if the copy would take the gateway's room on the disk, and
    ///   ``JournalError/corrupt(path:reason:)`` for a journal that no gateway could use.
    package static func make(
        of path: String, at copy: String, gauge: DiskGauge = .system
    ) throws(JournalError) -> Content {
        do {
            let own = JournalFile.size(of: path)
            // A power cut may leave a file that is shorter than the shortest database (https://www.sqlite.org/fileformat2.html, 1.3).
            guard own >= 512 else { throw JournalError.corrupt(path: path, reason: "it has \(own) octets") }
            let size = own + JournalFile.size(of: path + "-wal")
            let space = gauge.space(FolderOperations.folder(of: copy))
            if let space, space.free < size.addingSaturated(JournalRoom.leastReserve) {
                throw JournalError.full(path: path)
            }
            try JournalReader(path: path).copy(to: copy)
            let queue = try open(copy)
            defer { try? queue.close() }
            let content = try queue.read { db in
                try check(db, path: path)
                return try found(in: db)
            }
            try becomeOneFile(queue)
            return content
        } catch {
            throw JournalFile.explain(error, path: path)
        }
    }

    /// The content of a journal, read without a change; nil if the file cannot be read, or is no journal.
    package static func content(of path: String) -> Content? {
        guard let reader = try? JournalReader(path: path) else { return nil }
        return try? reader.read { db, _ in try found(in: db) }
    }

    private static func found(in db: Database) throws -> Content {
        Content(
            rows: try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM reading") ?? 0,
            greatest: try JournalStore.greatestNumber(in: db))
    }

    /// Makes a copy the journal of a gateway whose next readings have numbers above `number`. Makes an empty journal if
    /// there is no copy.
    ///
    /// - Returns: The waiting readings, and the count of all numbered readings by the ledger.
    /// - Throws: ``JournalError/newer(path:)`` and ``JournalError/corrupt(path:reason:)`` for a file of a newer version and
    ///   for any other database. The file is unchanged then.
    package static func prepare(_ copy: String, above number: Int64) throws(JournalError)
        -> (waiting: Int, numbered: Int)
    {
        do {
            let queue = try open(copy)
            defer { try? queue.close() }
            try queue.read { try check($0, path: copy) }
            try JournalSchema.migrator.migrate(queue)
            let rows = try queue.write { db in
                let content = try found(in: db)
                guard content.greatest <= number, number <= JournalStatistics.largestCount else {
                    throw JournalError.corrupt(path: copy, reason: "a row has the number \(content.greatest)")
                }
                try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'reading'")
                try db.execute(
                    sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('reading', ?)", arguments: [number])
                return (content.rows, try LedgerPage(db).total.committed)
            }
            try becomeOneFile(queue)
            return rows
        } catch {
            throw JournalFile.explain(error, path: copy)
        }
    }

    /// Octets of a value that a gateway could have written, with room: a reading has at most 512.
    private static let longestValue = 4_096

    private static func check(_ db: Database, path: String) throws {
        try SchemaCheck.run(db, path: path)
        // Damage in a page that no check of the tables reads would make the gateway begin a fresh journal.
        let lines = try Row.fetchAll(db, sql: "PRAGMA quick_check(1)").compactMap { $0.text(0) }
        guard lines == ["ok"] else {
            throw JournalError.corrupt(path: path, reason: lines.first ?? "it cannot be read")
        }
        // An empty file is no journal yet.
        guard try db.tableExists("reading") else { return }
        let long = try Int64.fetchOne(
            db, sql: "SELECT n FROM reading WHERE length(value) > ? LIMIT 1", arguments: [longestValue])
        if let long {
            throw JournalError.corrupt(path: path, reason: "row \(long) has a value that no sensor sends")
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase(JournalFile.distrust)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Moves the log into the file. One rename then moves the whole database.
    private static func becomeOneFile(_ queue: DatabaseQueue) throws {
        try queue.writeWithoutTransaction { _ = try Row.fetchAll($0, sql: "PRAGMA journal_mode = DELETE") }
    }
}

/// Keeps a journal from every gateway, without opening its database.
package final class JournalHold: Sendable {
    private let file: JournalFile

    /// - Throws: ``JournalError/inUse(path:)`` while a gateway has the journal.
    package init(path: String) throws(JournalError) { file = try JournalFile(path: path) }

    /// Whether any process, this process included, has the journal.
    package static func isHeld(_ path: String) -> Bool {
        let lock = open(path + ".lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard lock >= 0 else { return false }
        defer { close(lock) }
        guard flock(lock, LOCK_SH | LOCK_NB) == 0 else { return true }
        flock(lock, LOCK_UN)
        return false
    }

    /// The greatest number of a reading of this journal, by the marks.
    package var greatest: Int64 { max(file.reserved?.number ?? 0, file.used?.number ?? 0) }

    /// Reads the marks for ``greatest`` without the lock, also beside a running gateway; 0 without marks.
    package static func greatest(of path: String) -> Int64 {
        let lock = open(path + ".lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard lock >= 0 else { return 0 }
        defer { close(lock) }
        let marks = NumberMarks(JournalFile.octets(of: lock, NumberMarks.length, at: 0))
        return max(marks.reservation?.number ?? 0, marks.used?.number ?? 0)
    }

    /// Makes the marks fit another database in the journal's place.
    ///
    /// - Parameters:
    ///   - number: The database's next number is above this number.
    ///   - rows: The count of numbered readings, by the database's ledger.
    package func startOver(at number: Int64, rows: Int) throws(JournalError) {
        file.forgetLosses()
        file.record(NumberMarks.Used(number: number, rows: rows))
        try file.settle(at: number)
    }

    /// The next number of the journal is above `number`. Its content stays, and counts as complete if it is.
    package func leap(above number: Int64) throws(JournalError) {
        file.record(NumberMarks.Used(number: number, rows: file.used?.rows ?? 0))
        try file.settle(at: number)
    }

    package func release() { file.release() }
}
