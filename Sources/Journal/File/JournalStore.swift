// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GRDB
import Platform
import Readings
import Synchronization

/// The journal's database: the transactions, and the publisher's reads.
final class JournalStore: Sendable {
    struct Outcome: Sendable {
        /// The transaction's additions to the ledger.
        var changes = LedgerEntry()
        /// Rows that the transaction wrote.
        var written = 0
        /// Rows that the transaction deleted.
        var deleted = 0
        /// The journal still holds too many rows, or the number is not known yet.
        var isBehind = false
        /// Deleted rows that a count had already passed, by sensor.
        var uncounted: [Int64: Int] = [:]
        /// The work left over because the disk had no room for more at a time: rows to be deleted, and readings that
        /// wait for the deletion.
        var rest = JournalState.Batch()
        /// Octets that the transaction wrote to the disk.
        var octets: Int64 = 0
    }

    let file: JournalFile
    let pool: JournalPool
    let names: Mutex<JournalNames>
    let configuration: JournalConfiguration
    private let retention: Mutex<Retention>
    /// The greatest row number ever given.
    let greatest: Mutex<Int64>
    /// Nil when all rows are counted.
    let count = Mutex<RowCount?>(nil)
    /// Readings that ever got a number, by the ledger.
    let committed = Mutex(0)
    /// Octets of the log's limit, as SQLite last heard it.
    let log = Mutex(JournalRoom.longestLog)
    /// Octets of a page of this file.
    let pageSize: Int

    /// Opens the database and brings it to the newest schema.
    init(_ configuration: JournalConfiguration, file: JournalFile, clock: BootClock) throws(JournalError) {
        self.file = file
        self.configuration = configuration
        pool = try file.openPool(durability: configuration.durability)
        do {
            pageSize = try pool.read { try JournalFile.pageSize(of: $0) }
            names = Mutex(try pool.read { try JournalNames($0) })
            greatest = Mutex(try pool.read { try Self.greatestNumber(in: $0) })
            // Only migrations and audits use the table of counters. Its damage is found here, and not by an audit.
            _ = try pool.read { try Row.fetchOne($0, sql: "SELECT value FROM counter LIMIT 1") }
            retention = Mutex(Retention(configuration, clock: clock))
        } catch {
            throw JournalFile.explain(error, path: configuration.path)
        }
    }

    /// Writes a batch in one transaction. `buffered` is the number of rows before the transaction.
    func commit(_ batch: JournalState.Batch, buffered: Int, room: JournalRoom = .ample) throws -> Outcome {
        var names = names.withLock { $0 }
        var retention = retention.withLock { $0 }
        let greatest = greatest.withLock { $0 }
        try file.reserve(
            upTo: greatest.addingSaturated(Int64(batch.readings.count)),
            after: .init(number: greatest, rows: committed.withLock { $0 }))
        let (outcome, last) = try writing { db in
            let meter = WriteMeter(db)
            var outcome = Outcome()
            var last: Int64?
            try db.inTransaction {
                last = try write(
                    batch, buffered, room, names: &names, retention: &retention, to: &outcome, in: db)
                return .commit
            }
            outcome.octets = meter.octets(db, pageSize: Int64(pageSize))
            return (outcome, last)
        }
        self.names.withLock { [names] in $0 = names }
        self.retention.withLock { [retention] in $0 = retention }
        count.withLock { $0?.remove(outcome.uncounted) }
        if let last {
            self.greatest.withLock { $0 = max($0, last) }
            let rows = committed.withLock { committed in
                committed = committed.addingSaturated(outcome.written)
                return committed
            }
            file.record(.init(number: max(greatest, last), rows: rows))
        }
        return outcome
    }

    /// On a full disk, the log is copied to the file, so that the log can begin again at its beginning.
    func writing<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try pool.writeWithoutTransaction { db in
            do {
                return try body(db)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
                _ = try? db.checkpoint(.passive)
                throw error
            }
        }
    }

    /// The whole of a transaction. Returns the number of the last reading.
    private func write(
        _ batch: JournalState.Batch, _ buffered: Int, _ room: JournalRoom, names: inout JournalNames,
        retention: inout Retention,
        to outcome: inout Outcome, in db: Database
    ) throws -> Int64? {
        let countedBelow = count.withLock { $0?.next }
        var changes = LedgerChanges(countedBelow: countedBelow ?? .min)
        // Deletions come before the new rows: on a full disk new rows use the room of deleted rows.
        var budget = room.rows
        outcome.rest.acknowledged = try Self.delete(batch.acknowledged, within: &budget, in: db) {
            changes.delivered($0, $1)
        }
        for (reason, rows) in batch.surrendered {
            let rest = try Self.delete(rows, within: &budget, in: db) { changes.dropped($0, $1, reason) }
            if !rest.isEmpty { outcome.rest.surrendered[reason] = rest }
        }
        outcome.deleted = room.rows - budget
        // If delivered rows make room, no row is given up for new readings.
        let waits = room.isShort && !outcome.rest.isEmpty
        let readings = waits ? [] : batch.readings
        if waits {
            outcome.rest.readings = batch.readings
            outcome.rest.completions = batch.completions
        } else if room.isShort, !readings.isEmpty {
            outcome.deleted += try retention.makeRoom(
                of: JournalRoom.pages(for: readings, pageSize: pageSize), count: buffered - outcome.deleted,
                isCounted: countedBelow == nil, budget: room.rows, changes: &changes, in: db)
        }
        for (boot, offset) in batch.offsets { try names.setOffset(offset, of: boot, isBetter: true, in: db) }
        let last = try Self.insert(readings, names: &names, changes: &changes, in: db)
        outcome.written = readings.count
        for (reason, devices) in batch.losses {
            for (name, count) in devices {
                let device = name.isEmpty ? LedgerEntry.unattributed : try names.device(name, in: db)
                changes.entries[device, default: LedgerEntry()].received &+= count
                changes.dropped(count, of: device, reason)
            }
        }
        for (name, count) in batch.gaps {
            changes.entries[try names.device(name, in: db), default: LedgerEntry()].missing &+= count
        }
        let left = buffered + outcome.written - outcome.deleted
        let given = try retention.apply(
            to: left, isCounted: countedBelow == nil, written: outcome.written, limit: room.rows, names: names,
            changes: &changes, in: db)
        outcome.deleted += given.deleted
        outcome.isBehind = given.isBehind
        for (key, value) in batch.identifiers {
            try db.execute(
                sql: "INSERT OR REPLACE INTO identifier (key, value) VALUES (?, ?)", arguments: [key, value])
        }
        try changes.write(in: db)
        outcome.changes = changes.total
        outcome.uncounted = changes.uncounted
        return last
    }

    /// Writes readings in their order, and returns the number of the last reading.
    private static func insert(
        _ readings: [Reading], names: inout JournalNames, changes: inout LedgerChanges, in db: Database
    ) throws -> Int64? {
        guard !readings.isEmpty else { return nil }
        let statement = try db.cachedStatement(sql: insertion)
        for reading in readings {
            let stamp = reading.stamp
            let boot = try names.boot(stamp.boot, in: db)
            if let unix = stamp.unixMilliseconds, boot.offset == nil {
                try names.setOffset(unix - stamp.uptimeMilliseconds, of: stamp.boot, in: db)
            }
            let device = try names.device(reading.device, in: db)
            let characteristic = try names.characteristic(reading.characteristic, in: db)
            try insert(reading, device: device, characteristic: characteristic, boot: boot.id, with: statement, in: db)
            changes.received(device)
        }
        return db.lastInsertedRowID
    }

    /// The greatest number that the database has given or holds.
    static func greatestNumber(in db: Database) throws -> Int64 {
        let row = try Row.fetchOne(
            db, sql: "SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'reading'), (SELECT MAX(n) FROM reading)")
        return max(row?.integer(0) ?? 0, row?.integer(1) ?? 0)
    }

    // MARK: - Reading

    /// At most `limit` rows with numbers above `n`, in order.
    func rows(after n: Int64, limit: Int) throws -> [JournalRow] {
        try pool.read { try Self.rows(after: n, limit: limit, in: $0) }
    }

    /// The row from which on all rows of `boot` have at least this uptime.
    func firstRow(ofBoot boot: String, sinceUptime milliseconds: Int64) throws -> Int64? {
        guard let id = names.withLock({ $0.boots[boot]?.id }) else { return nil }
        return try pool.read { try Self.firstRow(ofBoot: id, since: milliseconds, in: $0) }
    }

    /// The name behind a row's device number. A reader can see a row before the commit that wrote its name has
    /// returned. So a reader without the name asks the database.
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
    var bytes: Int64 { Self.bytes(at: file.path) }

    static func bytes(at path: String) -> Int64 {
        ["", "-wal"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
            return sum + ((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
        }
    }

    func close() throws {
        // One complete file is left behind, for a copy of the file or of the card. A reader in another process may
        // prevent the checkpoint; nothing is lost then.
        let checkpoint = Result {
            try pool.writeWithoutTransaction { db in
                try RowNumbers.end(in: db)
                _ = try db.checkpoint(.truncate)
            }
        }
        try pool.close()
        try checkpoint.get()
        try file.settle(at: greatest.withLock { $0 })
    }
}
