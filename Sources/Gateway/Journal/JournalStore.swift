// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization

/// The journal's database: what one transaction writes, and what the publisher reads.
final class JournalStore: Sendable {
    /// What one transaction is to do.
    struct Batch: Sendable {
        var readings: [Reading] = []
        /// Called when the readings are on disk.
        var completions: [JournalState.Completion] = []
        /// Row numbers that the broker has acknowledged.
        var acknowledged: [Int64] = []
        /// Row numbers that the publisher has given up.
        var surrendered: [DropReason: [Int64]] = [:]
        var gaps: [String: Int] = [:]
        var identifiers: [String: String] = [:]
        /// Unix time minus uptime of boots whose clock became right.
        var offsets: [String: Int64] = [:]
        /// The books as they stand before this batch; the store adds what it writes and deletes.
        var received = 0
        var committed = 0
        var delivered = 0
        var dropped: [String: Int] = [:]
        var missing = 0
    }

    struct Outcome: Sendable {
        var delivered = 0
        /// Rows given up in this transaction.
        var dropped: [DropReason: Int] = [:]

        /// Rows deleted in this transaction.
        var deleted: Int { delivered + dropped.values.reduce(0, +) }
    }

    struct Opening: Sendable {
        var received = 0
        var delivered = 0
        var committed = 0
        var dropped: [String: Int] = [:]
        var missing = 0
        var buffered = 0
        var identifiers: [String: String] = [:]
        /// Values that could not be used, by column.
        var damage: [String] = []
    }

    private let file: JournalFile
    let pool: DatabasePool
    private let maximumRows: Int
    let names: Mutex<JournalNames>

    init(_ configuration: JournalConfiguration) throws(JournalError) {
        file = try JournalFile(path: configuration.path)
        pool = try file.openPool(durability: configuration.durability)
        maximumRows = max(configuration.maximumRows, 1)
        do {
            names = Mutex(try pool.read { try JournalNames($0) })
        } catch {
            throw JournalFile.explain(error, path: configuration.path)
        }
    }

    /// The books as the last process left them; counts the rows, which also finds damaged pages.
    func opening() throws(JournalError) -> Opening {
        do {
            return try pool.read { db in
                var opening = Opening()
                opening.damage = names.withLock { $0.damage }
                opening.buffered = try Int.fetchOne(db, sql: "SELECT COUNT(value) FROM reading") ?? 0
                for row in try Row.fetchAll(db, sql: "SELECT name, value FROM counter") {
                    guard let name = row.text(0), let value = row.count(1) else {
                        opening.damage.append("counter.value of \(row.text(0) ?? "a counter")")
                        continue
                    }
                    switch name {
                    case "received": opening.received = value
                    case "delivered": opening.delivered = value
                    case "committed": opening.committed = value
                    case "missing": opening.missing = value
                    default:
                        guard name.hasPrefix("dropped:") else { continue }
                        opening.dropped[String(name.dropFirst("dropped:".count))] = value
                    }
                }
                for row in try Row.fetchAll(db, sql: "SELECT key, value FROM identifier") {
                    guard let key = row.text(0), let value = row.text(1) else {
                        opening.damage.append("identifier.value of \(row.text(0) ?? "a key")")
                        continue
                    }
                    opening.identifiers[key] = value
                }
                return opening
            }
        } catch {
            throw JournalFile.explain(error, path: file.path)
        }
    }

    /// Writes a batch in one transaction. `buffered` is the number of rows before it.
    func commit(_ batch: Batch, buffered: Int) throws -> Outcome {
        var names = names.withLock { $0 }
        let outcome = try pool.write { [maximumRows] db in
            var outcome = Outcome()
            for (boot, offset) in batch.offsets { try names.setOffset(offset, of: boot, in: db) }
            try insert(batch.readings, names: &names, in: db)
            outcome.delivered = try delete(batch.acknowledged, in: db)
            for (reason, rows) in batch.surrendered {
                outcome.dropped[reason] = try delete(rows, in: db)
            }
            let excess = buffered + batch.readings.count - outcome.deleted - maximumRows
            if excess > 0 {
                try db.execute(
                    sql: "DELETE FROM reading WHERE n IN (SELECT n FROM reading ORDER BY n LIMIT ?)",
                    arguments: [excess])
                outcome.dropped[.journalFull, default: 0] += db.changesCount
            }
            for (key, value) in batch.identifiers {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO identifier (key, value) VALUES (?, ?)", arguments: [key, value])
            }
            try writeBooks(batch, outcome, in: db)
            return outcome
        }
        self.names.withLock { [names] in $0 = names }
        return outcome
    }

    private func insert(_ readings: [Reading], names: inout JournalNames, in db: Database) throws {
        guard !readings.isEmpty else { return }
        let statement = try db.cachedStatement(sql: Self.insertion)
        for reading in readings {
            let stamp = reading.stamp
            let boot = try names.boot(stamp.boot, in: db)
            if let unix = stamp.unixMilliseconds, boot.offset == nil {
                try names.setOffset(unix - stamp.uptimeMilliseconds, of: stamp.boot, in: db)
            }
            let device = try names.device(reading.device, in: db)
            let characteristic = try names.characteristic(reading.characteristic, in: db)
            try Self.insert(
                reading, device: device, characteristic: characteristic, boot: boot.id, with: statement, in: db)
        }
    }

    /// Deletes rows by runs of consecutive numbers, and says how many there were.
    private func delete(_ acknowledged: [Int64], in db: Database) throws -> Int {
        guard !acknowledged.isEmpty else { return 0 }
        let statement = try db.cachedStatement(sql: "DELETE FROM reading WHERE n BETWEEN ? AND ?")
        var deleted = 0
        for run in acknowledged.runs() {
            statement.setUncheckedArguments([run.lowerBound, run.upperBound])
            try statement.execute()
            deleted += db.changesCount
        }
        return deleted
    }

    private func writeBooks(_ batch: Batch, _ outcome: Outcome, in db: Database) throws {
        let statement = try db.cachedStatement(
            sql:
                "INSERT INTO counter (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        )
        func write(_ name: String, _ value: Int) throws {
            try statement.execute(arguments: [name, value])
        }
        try write("received", batch.received)
        try write("committed", batch.committed + batch.readings.count)
        try write("delivered", batch.delivered + outcome.delivered)
        try write("missing", batch.missing)
        var dropped = batch.dropped
        for (reason, count) in outcome.dropped { dropped[reason.rawValue, default: 0] += count }
        for (reason, count) in dropped { try write("dropped:" + reason, count) }
    }

    /// At most `limit` rows with numbers above `n`, in order.
    func rows(after n: Int64, limit: Int) throws -> [JournalRow] {
        try pool.read { db in
            try Self.rows(after: n, limit: limit, with: db.cachedStatement(sql: Self.selection), in: db)
        }
    }

    /// The row from which on all rows of `boot` have this uptime or a greater one.
    func firstRow(ofBoot boot: String, sinceUptime milliseconds: Int64) throws -> Int64? {
        guard let id = names.withLock({ $0.boots[boot]?.id }) else { return nil }
        return try pool.read { db in
            try Self.firstRow(
                ofBoot: id, since: milliseconds, with: db.cachedStatement(sql: Self.backwards), in: db)
        }
    }

    /// The names that rows carry as numbers. A row can be seen before the commit that wrote its name has returned,
    /// so that a reader who finds no name asks the database.
    func device(_ id: Int64) throws -> String? {
        if let name = names.withLock({ $0.deviceNames[id] }) { return name }
        return try pool.read {
            try Row.fetchOne($0, sql: "SELECT name FROM device WHERE id = ?", arguments: [id])?.text(0)
        }
    }

    func characteristic(_ id: Int64) throws -> String? {
        if let name = names.withLock({ $0.characteristicNames[id] }) { return name }
        return try pool.read {
            try Row.fetchOne($0, sql: "SELECT name FROM characteristic WHERE id = ?", arguments: [id])?.text(0)
        }
    }

    /// All boots that the journal knows, oldest first.
    func boots() throws -> [JournalBoot] {
        try pool.read { db in
            try Row.fetchAll(db, sql: "SELECT id, name, offset FROM boot ORDER BY id").compactMap(JournalBoot.init)
        }
    }

    /// Size of the database and its log.
    var bytes: Int64 {
        ["", "-wal"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.path + suffix)
            return sum + ((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
        }
    }

    func close() throws {
        defer { file.release() }
        // One file is left behind: who copies it, or takes the card out, has everything. A reader in another process may
        // prevent it, which loses nothing.
        let checkpoint = Result {
            try pool.writeWithoutTransaction { db in
                try RowNumbers.end(in: db)
                _ = try db.checkpoint(.truncate)
            }
        }
        try pool.close()
        try checkpoint.get()
    }
}

extension [Int64] {
    /// The numbers as runs of consecutive ones, in order.
    func runs() -> [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        for number in sorted() {
            if let last = runs.last, last.upperBound == .max || number <= last.upperBound + 1 {
                runs[runs.count - 1] = last.lowerBound...Swift.max(last.upperBound, number)
            } else {
                runs.append(number...number)
            }
        }
        return runs
    }
}
