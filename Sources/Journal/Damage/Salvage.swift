// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB
import Glibc
import Readings
import Synchronization

/// Copies the readable rows of a damaged journal into a fresh journal, with the numbers of rows and names kept.
///
/// Nothing else writes to the fresh journal during the salvage. The transactions that write the rows also write the
/// progress of the copy, so that the copy continues there after a power cut. The numbers that the fresh journal has
/// given, or was told to skip, say nothing about the progress.
struct Salvage {
    struct Report: Sendable {
        /// The path of the damaged file; nil when the file was gone.
        var source: String?
        var rows = 0
        /// Readings with numbers that the file does not know: the file is an old copy, or its last transactions are
        /// gone. Some of these readings may have been delivered.
        var missing = 0
        /// Rows that could not be salvaged, by the ledger; nil when the ledger could not be read either.
        var lost: Int?
    }

    private static let chunk = 1000
    /// MiB that damaged files may take when the journal itself has no limit.
    private static let quarantineLimit = 256
    /// The fresh database's key for the last copied row of the damaged database.
    private static let cursorKey = "salvage-cursor"
    /// Keys of facts about the file itself.
    private static let ownKeys: Set<String> = [Quarantine.sourceKey, cursorKey, RowNumbers.key]

    let file: JournalFile
    let memory: JournalStore.Memory?
    /// Asked before each search in the damaged file, and before each portion is written: true ends the salvage. The
    /// next opening of the file continues it.
    let isUnwanted: @Sendable () -> Bool

    init(
        from file: JournalFile, memory: JournalStore.Memory?, isUnwanted: @escaping @Sendable () -> Bool = { false }
    ) {
        self.file = file
        self.memory = memory
        self.isUnwanted = isUnwanted
    }

    static func source(in db: Database) throws -> String? { try fact(Quarantine.sourceKey, in: db) }

    private static func fact(_ key: String, in db: Database) throws -> String? {
        try Row.fetchOne(db, sql: "SELECT value FROM identifier WHERE key = ?", arguments: [key])?.text(0)
    }

    /// Does the pending work: nothing for a journal that is neither fresh nor half salvaged.
    func run(into store: JournalStore) throws -> Report? {
        let (first, last, isFresh) = try store.pool.read { db in
            let entries = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM ledger") ?? 0
            let last = try JournalStore.greatestNumber(in: db)
            return (try Self.source(in: db), last, last == 0 && entries == 0)
        }
        guard first != nil || isFresh else {
            let missing = try goOn(after: last, in: store)
            return missing > 0 ? Report(missing: missing) : nil
        }
        // A new file, or a file to be filled.
        var greatest = max(file.reserved?.number ?? 0, memory?.greatest ?? 0)
        if let names = memory?.names { try store.adopt(names, insisting: false) }
        let quarantine = Quarantine(file: file)
        let chain = try first.map { try quarantine.chain(from: quarantine.path($0)) } ?? []
        var old: DamagedJournal?
        for (place, path) in chain.enumerated() {
            old = try DamagedJournal(path, progress: file.progress, isUnwanted: isUnwanted)
            guard let old else { break }
            greatest = max(greatest, try old.greatestNumber())
            try store.adopt(try old.names(), insisting: false)
            try copy(old, below: greatest, into: store, needing: Set(chain))
            if place + 1 < chain.count { try turn(to: chain[place + 1], from: old, in: store) }
        }
        let isNew = first == nil && memory == nil
        greatest = max(greatest, try store.pool.read { try JournalStore.greatestNumber(in: $0) })
        guard !isNew || greatest > 0 else { return nil }
        try store.raiseNumbers(to: greatest)
        // The content of a file that is gone altogether is unknown.
        guard !isNew else { return (file.used?.number ?? 0) > 0 ? Report() : nil }
        let (ledger, facts) = (try old?.ledger(), try old?.identifiers() ?? [:])
        var report = try store.pool.write { db in
            try Self.adopt(facts, in: db)
            try db.execute(
                sql: "DELETE FROM identifier WHERE key IN (?, ?)", arguments: [Quarantine.sourceKey, Self.cursorKey])
            return try balance(ledger, in: db)
        }
        report.source = chain.first
        let limit = store.configuration.maximumMegabytes
        quarantine.prune(to: (limit > 0 ? limit : Self.quarantineLimit) << 20)
        return report
    }

    /// Makes sure that an intact journal gives no number twice. Returns the number of lost readings.
    private func goOn(after last: Int64, in store: JournalStore) throws -> Int {
        guard last <= JournalStatistics.largestCount else {
            throw JournalError.corrupt(path: file.path, reason: "a row has the number \(last)")
        }
        if let names = memory?.names { try store.adopt(names, insisting: true) }
        let used = memory.map { NumberMarks.Used(number: $0.greatest, rows: $0.books.committed) } ?? file.used
        // A file with the last used number is the right file, and complete.
        if let used, used.number <= last { return 0 }
        let missing = try used.map { try Self.missing($0, after: last, in: store) } ?? 0
        // An old copy, or a file whose last transactions are gone. Numbers that this process has not given itself are
        // unknown: the numbers leap over the whole reservation.
        let given = memory?.greatest ?? file.reserved?.number ?? 0
        // The reservation may be the unreadable part of the lock file.
        try store.raiseNumbers(to: max(given, used?.number ?? 0), lost: missing)
        return missing
    }

    /// Readings with numbers after the last number in the file. Numbers leap at times: there may be fewer readings than
    /// numbers.
    private static func missing(_ used: NumberMarks.Used, after last: Int64, in store: JournalStore) throws -> Int {
        let numbers = Int(used.number.subtractingSaturated(last))
        guard let rows = used.rows else { return numbers }
        let known = try store.pool.read { try LedgerPage($0).total.committed }
        return min(max(rows - known, 0), numbers)
    }

    /// Copies rows, and continues where an earlier attempt stopped.
    private func copy(
        _ old: DamagedJournal, below greatest: Int64, into store: JournalStore, needing needed: Set<String>
    ) throws {
        let known = store.names.withLock { $0 }
        let boots = Set(known.boots.values.map(\.id))
        var cursor = try store.pool.read { try Self.fact(Self.cursorKey, in: $0).flatMap { Int64($0) } } ?? 0
        while let rows = try old.rows(after: cursor, limit: Self.chunk, below: greatest), let end = rows.last {
            guard !isUnwanted() else { throw JournalError.failed(path: file.path, reason: "the gateway stops") }
            let whole = rows.filter { $0.n <= JournalStatistics.largestCount && known.names(all: $0, boots: boots) }
            // On a small disk SQLite's log must stay small.
            _ = try store.room(halvings: 0)
            try withRoom(for: old, sparing: needed, in: store) {
                try store.pool.write { db in
                    for row in whole { try JournalStore.insert(row, in: db) }
                    try Self.set(Self.cursorKey, to: String(end.n), in: db)
                }
            }
            cursor = end.n
        }
    }

    /// On a full disk, older damaged files make room: they were salvaged long ago. If the room is still not enough, the
    /// error names the wanted octets.
    private func withRoom(
        for old: DamagedJournal, sparing needed: Set<String>, in store: JournalStore, _ body: () throws -> Void
    ) throws {
        do {
            try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            let isCopied = (try? store.pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }) != nil
            if Quarantine(file: file).makeRoom(sparing: needed) {
                return try withRoom(for: old, sparing: needed, in: store, body)
            }
            // The log has gone to the file, which may have made the wanted room.
            if isCopied, (try? body()) != nil { return }
            let copied = JournalFile.size(of: file.path)
            let wanted = needed.reduce(0) { $0 + JournalFile.size(of: $1) + JournalFile.size(of: $1 + "-wal") }
            throw JournalError.noRoomForCopy(
                path: file.path, source: old.path, octets: max(wanted - copied, JournalRoom.leastReserve))
        }
    }

    /// Continues with an older file from which `old` was being filled.
    private func turn(to older: String, from old: DamagedJournal, in store: JournalStore) throws {
        let facts = try old.identifiers()
        try store.pool.write { db in
            try Self.adopt(facts, in: db)
            try Self.set(Quarantine.sourceKey, to: older, in: db)
            try Self.set(Self.cursorKey, to: "0", in: db)
        }
    }

    private static func set(_ key: String, to value: String, in db: Database) throws {
        try db.execute(sql: "INSERT OR REPLACE INTO identifier (key, value) VALUES (?, ?)", arguments: [key, value])
    }

    /// Takes over small facts, unless a newer value is known.
    private static func adopt(_ facts: [String: String], in db: Database) throws {
        for (key, value) in facts where !ownKeys.contains(key) {
            try db.execute(
                sql: "INSERT OR IGNORE INTO identifier (key, value) VALUES (?, ?)", arguments: [key, value])
        }
    }

    /// Writes the ledger: rows that the old ledger expected and that are not there were lost.
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
                // The sums are known, but not their parts.
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
