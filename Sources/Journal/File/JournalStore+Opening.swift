// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite
import Logging
import Platform
import Readings
import Synchronization

extension JournalStore {
    /// The state of a database at its opening.
    struct Opening: Sendable {
        /// The sum of all entries.
        var total = LedgerEntry()
        /// Rows by the ledger until they are counted, then the counted rows.
        var buffered = 0
        var identifiers: [String: String] = [:]
        /// Values that could not be used, by column.
        var damage: [String] = []
        /// Nil when the rows are more than one portion of the count; the later portions follow.
        var counted: RowCount.Result?
        var salvage: Salvage.Report?
    }

    /// The running process's knowledge of the database that it had open before.
    struct Memory: Sendable {
        var names: JournalNames
        var books: JournalStatistics
        /// The last row number that the database gave.
        var greatest: Int64
    }

    /// Opens the journal. A damaged file is put away for a fresh file with the rows that can be salvaged.
    ///
    /// - Parameter isUnwanted: Asked during the copy of rows, which may take minutes: true ends the copy.
    static func open(
        _ configuration: JournalConfiguration, file: JournalFile, clock: BootClock, memory: Memory?,
        isUnwanted: @escaping @Sendable () -> Bool
    ) throws(JournalError) -> (JournalStore, Opening) {
        do {
            return try openOnce(configuration, file, clock, memory, isUnwanted)
        } catch .corrupt {
            try Quarantine(file: file).begin()
        }
        return try openOnce(configuration, file, clock, memory, isUnwanted)
    }

    private static func openOnce(
        _ configuration: JournalConfiguration, _ file: JournalFile, _ clock: BootClock, _ memory: Memory?,
        _ isUnwanted: @escaping @Sendable () -> Bool
    ) throws(JournalError) -> (JournalStore, Opening) {
        let store = try JournalStore(configuration, file: file, clock: clock)
        do {
            let salvage = try Salvage(from: file, memory: memory, isUnwanted: isUnwanted).run(into: store)
            let opening = try store.opening(salvage)
            store.committed.withLock { $0 = opening.total.committed }
            return (store, opening)
        } catch {
            try? store.pool.close()
            throw JournalFile.explain(error, path: configuration.path)
        }
    }

    /// Reads the ledger and begins to count the rows, which also finds damaged pages.
    private func opening(_ salvage: Salvage.Report?) throws -> Opening {
        let limit = StepLimit(forFile: file.path, progress: file.progress)
        return try pool.write { db in try limit.hold(db) { try opening(salvage, in: db) } }
    }

    private func opening(_ salvage: Salvage.Report?, in db: Database) throws -> Opening {
        var opening = Opening()
        opening.salvage = salvage
        opening.damage = names.withLock { $0.damage }
        var page = try LedgerPage(db)
        var rows = RowCount()
        if page.damage.isEmpty {
            try rows.goOn(in: db)
        } else {
            opening.damage += page.damage
            try rows.goOn(limit: .max, in: db)
            try page.repair(rows: rows.rows, in: db)
        }
        opening.total = page.total
        opening.counted = rows.isComplete ? rows.result(page) : nil
        opening.buffered = opening.counted?.rows ?? max(opening.total.open, 0)
        count.withLock { [rows] in $0 = rows.isComplete ? nil : rows }
        for row in try Row.fetchAll(db, sql: "SELECT key, value FROM identifier") {
            guard let key = row.text(0), let value = row.text(1) else {
                opening.damage.append("identifier.value of \(row.text(0) ?? "a key")")
                continue
            }
            opening.identifiers[key] = value
        }
        if let gateway = configuration.gateway { try record(gateway, &opening, in: db) }
        return opening
    }

    /// Earlier rows keep the name of the gateway that took them.
    private func record(_ gateway: String, _ opening: inout Opening, in db: Database) throws {
        var owners = RowOwners { [opening] in opening.identifiers[$0] }
        guard owners.claim(gateway, after: try Self.greatestNumber(in: db)) else { return }
        for (key, value) in owners.facts {
            try db.execute(
                sql: "INSERT OR REPLACE INTO identifier (key, value) VALUES (?, ?)", arguments: [key, value])
            opening.identifiers[key] = value
        }
    }

    /// All rows by device.
    static func countRows(in db: Database) throws -> [Int64: Int] {
        var count = RowCount()
        try count.goOn(limit: .max, in: db)
        return count.rows
    }
}

extension JournalStore {
    /// Takes over names with the numbers by which readers may still know them.
    ///
    /// - Parameter insisting: Throws if a number already has another name.
    func adopt(_ known: JournalNames, insisting: Bool) throws {
        let path = file.path
        let merged = try pool.write { db in
            for (name, id) in known.devices {
                try db.execute(sql: "INSERT OR IGNORE INTO device (id, name) VALUES (?, ?)", arguments: [id, name])
            }
            for (name, id) in known.characteristics {
                try db.execute(
                    sql: "INSERT OR IGNORE INTO characteristic (id, name) VALUES (?, ?)", arguments: [id, name])
            }
            for boot in known.boots.values {
                try db.execute(
                    sql: "INSERT OR IGNORE INTO boot (id, name, offset) VALUES (?, ?, ?)",
                    arguments: [boot.id, boot.name, boot.offset])
            }
            let merged = try JournalNames(db)
            if insisting, !merged.agree(with: known) {
                throw JournalError.failed(
                    path: path, reason: "another journal was put in its place: restart the gateway to use it")
            }
            return merged
        }
        names.withLock { $0 = merged }
    }

    /// Continues with numbers above `number`, unless the database's own are as high.
    ///
    /// - Parameter lost: Readings that had these numbers and are gone; the call counts them as lost.
    func raiseNumbers(to number: Int64, lost: Int = 0) throws {
        let last = try pool.write { db in
            if lost > 0 {
                var changes = LedgerChanges()
                changes.entries[LedgerEntry.unattributed] = LedgerEntry(
                    received: lost, dropped: [DropReason.journalDamaged.rawValue: lost])
                try changes.write(in: db)
            }
            let last = try Self.greatestNumber(in: db)
            guard last < number else { return last }
            try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'reading'")
            try db.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('reading', ?)", arguments: [number])
            return number
        }
        greatest.withLock { $0 = last }
    }
}

extension LedgerPage {
    /// Repairs figures that are no counts: the ledger of these sensors begins again with the present rows.
    mutating func repair(rows: [Int64: Int], in db: Database) throws {
        for device in damagedDevices {
            var entry = entries[device] ?? LedgerEntry()
            entry.received = entry.delivered &+ entry.droppedTotal &+ (rows[device] ?? 0)
            entries[device] = entry
        }
        try db.execute(sql: "DELETE FROM ledger; DELETE FROM loss")
        var changes = LedgerChanges()
        changes.entries = entries
        try changes.write(in: db)
    }
}
