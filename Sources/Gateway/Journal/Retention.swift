// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB

/// Which rows are given up when the journal holds too many, too much, or too old ones. A value, so that a failed
/// transaction leaves the old one standing.
struct Retention {
    /// How often ages are looked at, in milliseconds.
    private static let ageInterval: Int64 = 60_000
    /// Rows that one look at ages reads.
    private static let ageRows = 100_000
    static let thinningRows = 4096
    private static let thinnedTo = "thinned-to"

    private let maximumRows: Int
    /// Octets.
    private let maximumSize: Int
    /// Milliseconds.
    private let maximumAge: Int64
    private let policy: JournalConfiguration.DropPolicy
    private let window: Int64
    private let clock: BootClock
    private var nextAgeCheck = Int64.min
    /// All rows up to here have been thinned.
    private var thinned: Int64 = 0

    init(_ configuration: JournalConfiguration, clock: BootClock, in db: Database) throws {
        maximumRows = max(configuration.maximumRows, 1)
        maximumSize = configuration.maximumMegabytes << 20
        maximumAge = Int64(configuration.maximumAgeHours) * 3_600_000
        policy = configuration.dropPolicy
        window = max(configuration.thinWindow.wholeMilliseconds, 1)
        self.clock = clock
        thinned =
            try Row.fetchOne(db, sql: "SELECT value FROM counter WHERE name = ?", arguments: [Self.thinnedTo])?
            .integer(0) ?? 0
    }

    /// Deletes what is too much of `count` rows, counts it, and says how many rows went.
    mutating func apply(
        to count: Int, names: JournalNames, changes: inout LedgerChanges, in db: Database
    ) throws -> Int {
        var deleted = try dropAged(names: names, changes: &changes, in: db)
        deleted += try drop(count - deleted - maximumRows, .journalFull, names: names, changes: &changes, in: db)
        if maximumSize > 0 {
            let excess = try Self.rowsBeyond(maximumSize, of: count - deleted, in: db)
            deleted += try drop(excess, .journalSize, names: names, changes: &changes, in: db)
        }
        return deleted
    }

    /// How many of `count` rows have to go for the database to use no more than `size` octets.
    ///
    /// Its file never shrinks, but what is free in it is used before it grows.
    private static func rowsBeyond(_ size: Int, of count: Int, in db: Database) throws -> Int {
        func pragma(_ name: String) throws -> Int {
            try Row.fetchOne(db.cachedStatement(sql: "PRAGMA " + name))?.count(0) ?? 0
        }
        let page = try pragma("page_size")
        let used = (try pragma("page_count") - pragma("freelist_count")) * page
        guard used > size, count > 0 else { return 0 }
        // Some pages more than there must be, so that not each commit has to.
        let excess = Double(used - size + 4 * page) / Double(used)
        return min(Int((Double(count) * excess).rounded(.up)), count)
    }

    private mutating func drop(
        _ excess: Int, _ reason: DropReason, names: JournalNames, changes: inout LedgerChanges, in db: Database
    ) throws -> Int {
        guard excess > 0 else { return 0 }
        var deleted = 0
        if policy == .thin {
            let before = thinned
            while deleted < excess, let page = try nextPage(in: db) {
                let rows = RowSet(Thinner.superfluous(page, window: window, names: names))
                for run in rows.runs {
                    deleted += try JournalStore.delete(run, in: db) { changes.dropped(1, of: $0, .thinned) }
                }
            }
            if thinned != before {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO counter (name, value) VALUES (?, ?)",
                    arguments: [Self.thinnedTo, thinned])
            }
        }
        guard deleted < excess else { return deleted }
        // What is thin enough goes as well when there is still too much.
        let last = try Row.fetchOne(
            db, sql: "SELECT n FROM reading ORDER BY n LIMIT 1 OFFSET ?", arguments: [excess - deleted - 1])
        guard let last = last?.integer(0) else { return deleted }
        return deleted + (try JournalStore.delete(.min...last, in: db) { changes.dropped(1, of: $0, reason) })
    }

    /// The oldest rows that have not been thinned; nil when only the newest are left.
    private mutating func nextPage(in db: Database) throws -> [JournalRow]? {
        let page = try JournalStore.rows(after: thinned, limit: Self.thinningRows, in: db)
        guard page.count == Self.thinningRows, let last = page.last else { return nil }
        thinned = last.n
        return page
    }

    // MARK: - Age

    /// Rows are in the order of reception: before one that is too old, all are, also those whose age is not known.
    private mutating func dropAged(
        names: JournalNames, changes: inout LedgerChanges, in db: Database
    ) throws -> Int {
        guard maximumAge > 0 else { return 0 }
        let now = clock.uptimeMilliseconds()
        guard now >= nextAgeCheck else { return 0 }
        nextAgeCheck = now.addingSaturated(Self.ageInterval)
        let ages = RowAges(now: now, boot: clock.boot, boots: names.boots)
        var cursor = Int64.min
        var last: Int64?
        scan: for _ in 0..<(Self.ageRows / Self.thinningRows) {
            let page = try JournalStore.rows(after: cursor, limit: Self.thinningRows, in: db)
            for row in page {
                guard let age = ages.age(of: row) else { continue }
                guard age > maximumAge else { break scan }
                last = row.n
            }
            guard page.count == Self.thinningRows, let end = page.last else { break }
            cursor = end.n
        }
        guard let last else { return 0 }
        return try JournalStore.delete(.min...last, in: db) { changes.dropped(1, of: $0, .journalAge) }
    }
}

/// How old rows are, in milliseconds, as far as it is known without trusting a wall clock that may be wrong.
struct RowAges {
    private let now: Int64
    private let boots: [Int64: JournalBoot]
    private let current: JournalBoot?

    init(now: Int64, boot: String, boots: [String: JournalBoot]) {
        self.now = now
        self.boots = Dictionary(boots.values.map { ($0.id, $0) }) { first, _ in first }
        current = boots[boot]
    }

    /// Nil where it is not known: the clock has not been right in this boot, or was not in the row's.
    func age(of row: JournalRow) -> Int64? {
        if row.boot == current?.id { return now.subtractingSaturated(row.uptimeMilliseconds) }
        guard let offset = current?.offset else { return nil }
        let then =
            row.unixMilliseconds ?? boots[row.boot]?.offset.map { row.uptimeMilliseconds.addingSaturated($0) }
        return then.map { now.addingSaturated(offset).subtractingSaturated($0) }
    }
}
