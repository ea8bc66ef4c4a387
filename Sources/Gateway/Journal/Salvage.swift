// SPDX-License-Identifier: Apache-2.0

import GRDB
import Glibc
import Synchronization

/// Copies what can be read of a damaged journal into a fresh one, with the numbers of rows and names kept.
///
/// Nothing else writes to the fresh one before it is done, so that after a power cut it can go on with the rows that
/// come after those it has.
struct Salvage {
    struct Report: Sendable {
        /// Where the damaged file lies; nil when it was gone.
        var source: String?
        var rows = 0
        /// Rows that could not be salvaged, as far as the books told; nil when they could not be read either.
        var lost: Int?
    }

    private static let chunk = 1000

    let file: JournalFile
    let memory: JournalStore.Memory?

    init(from file: JournalFile, memory: JournalStore.Memory?) {
        self.file = file
        self.memory = memory
    }

    static func source(in db: Database) throws -> String? {
        try Row.fetchOne(
            db, sql: "SELECT value FROM identifier WHERE key = ?", arguments: [Quarantine.sourceKey])?.text(0)
    }

    /// Does what there is to do: nothing for a journal that is neither fresh nor half salvaged.
    func run(into store: JournalStore) throws -> Report? {
        let (source, last, isFresh) = try store.pool.read { db in
            let entries = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM ledger") ?? 0
            let last = try JournalStore.greatestNumber(in: db)
            return (try Self.source(in: db), last, last == 0 && entries == 0)
        }
        guard source != nil || isFresh else {
            guard last <= JournalStatistics.largestCount else {
                throw JournalError.corrupt(path: file.path, reason: "a row has the number \(last)")
            }
            if let names = memory?.names { try store.adopt(names, insisting: true) }
            try store.raiseNumbers(to: memory?.greatest ?? 0)
            if let mark = file.reserved {
                // A gateway that was not closed leaves so many numbers unused, as a rule.
                let unused = JournalFile.reservation + Int64(store.configuration.queueCapacity)
                try store.raiseNumbers(to: mark.number, slack: mark.isExact ? 0 : unused)
            }
            return nil
        }
        // A file that was made anew, or is to be filled.
        let old = source.flatMap(DamagedJournal.init)
        var greatest = max(file.reserved?.number ?? 0, memory?.greatest ?? 0, old?.greatestNumber ?? 0)
        if let names = memory?.names { try store.adopt(names, insisting: false) }
        if let old { try store.adopt(old.names, insisting: false) }
        if let old {
            let known = store.names.withLock { $0 }
            let boots = Set(known.boots.values.map(\.id))
            var cursor = last
            while let rows = old.rows(after: cursor, limit: Self.chunk, below: greatest), let end = rows.last {
                let whole = rows.filter { $0.n <= JournalStatistics.largestCount && known.names(all: $0, boots: boots) }
                try store.pool.write { db in
                    for row in whole { try JournalStore.insert(row, in: db) }
                }
                cursor = end.n
            }
        }
        let isNew = source == nil && memory == nil
        greatest = max(greatest, try store.pool.read { try JournalStore.greatestNumber(in: $0) })
        guard !isNew || greatest > 0 else { return nil }
        try store.raiseNumbers(to: greatest)
        guard !isNew else { return nil }
        var report = try store.pool.write { db in
            try db.execute(sql: "DELETE FROM identifier WHERE key = ?", arguments: [Quarantine.sourceKey])
            for (key, value) in old?.identifiers ?? [:] {
                try db.execute(
                    sql: "INSERT OR IGNORE INTO identifier (key, value) VALUES (?, ?)", arguments: [key, value])
            }
            return try balance(old?.ledger, in: db)
        }
        report.source = source
        return report
    }

    /// Writes the books: what the old ones expected and is not there was lost.
    private func balance(_ page: LedgerPage?, in db: Database) throws -> Report {
        let rows = try JournalStore.countRows(in: db)
        var report = Report(rows: rows.values.reduce(0, +))
        var changes = LedgerChanges()
        if let page {
            changes.entries = page.entries
            var lost = 0
            for device in Set(page.entries.keys).union(rows.keys) where device != LedgerEntry.unattributed {
                var entry = changes.entries[device] ?? LedgerEntry()
                let missing = entry.open &- (rows[device] ?? 0)
                if missing > 0, !page.damagedDevices.contains(device) {
                    entry.dropped[DropReason.corrupt.rawValue, default: 0] &+= missing
                    lost += missing
                } else {
                    entry.received &-= missing
                }
                changes.entries[device] = entry
            }
            report.lost = lost
        } else {
            for (device, count) in rows { changes.entries[device, default: LedgerEntry()].received = count }
            if let books = memory?.books {
                // The sums are known, their parts are not.
                var rest = LedgerEntry()
                rest.delivered = books.delivered
                rest.missing = books.missing
                rest.dropped = books.dropped
                let lost = max(books.buffered - report.rows, 0)
                if lost > 0 { rest.dropped[DropReason.corrupt.rawValue, default: 0] += lost }
                rest.received = rest.delivered &+ rest.droppedTotal
                changes.entries[LedgerEntry.unattributed] = rest
                report.lost = lost
            }
        }
        try db.execute(sql: "DELETE FROM ledger; DELETE FROM loss")
        try changes.write(in: db)
        return report
    }
}
