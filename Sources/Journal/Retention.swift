// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB
import Platform
import Readings

/// Which rows are given up when the journal holds too many, too much, or too old ones. A value, so that a failed
/// transaction leaves the old one standing.
struct Retention {
    /// What one transaction did.
    struct Outcome {
        var deleted = 0
        /// There is still too much: the next transaction goes on.
        var isBehind = false

        static func += (total: inout Outcome, part: Outcome) {
            total.deleted += part.deleted
            total.isBehind = total.isBehind || part.isBehind
        }
    }

    /// How often ages are looked at, in milliseconds.
    private static let ageInterval: Int64 = 60_000
    /// Rows that one look at ages reads.
    private static let ageRows = 100_000
    private static let ageBatch = 4096
    /// Rows that one transaction reads for thinning, or deletes, when few come in.
    static let transactionRows = 65_536
    private static let thinnedTo = "thinned-to"

    private let maximumRows: Int
    /// Octets.
    private let maximumSize: Int
    /// Milliseconds.
    private let maximumAge: Int64
    private let policy: JournalConfiguration.DropPolicy
    private let clock: BootClock
    private var nextAgeCheck = Int64.min
    private var thinning: Thinning
    private var share = FairShare()

    init(_ configuration: JournalConfiguration, clock: BootClock, in db: Database) throws {
        maximumRows = max(configuration.maximumRows, 1)
        maximumSize = configuration.maximumMegabytes << 20
        maximumAge = Int64(configuration.maximumAgeHours) * 3_600_000
        policy = configuration.dropPolicy
        self.clock = clock
        let thinned = try Row.fetchOne(
            db, sql: "SELECT value FROM counter WHERE name = ?", arguments: [Self.thinnedTo])
        thinning = Thinning(after: thinned?.integer(0) ?? 0, window: configuration.thinWindow.wholeMilliseconds)
    }

    /// Deletes what is too much of `count` rows, of which `written` are new, and counts it.
    ///
    /// - Parameters:
    ///   - isCounted: `count` is no more than there is. What the books say alone may be: until the rows are counted,
    ///     none goes for that.
    ///   - limit: rows that may be deleted, or read for it, for a reason.
    mutating func apply(
        to count: Int, isCounted: Bool, written: Int, limit: Int, names: JournalNames, changes: inout LedgerChanges,
        in db: Database
    ) throws -> Outcome {
        // More than comes in, so that whatever is too much will have gone.
        let budget = min(max(Self.transactionRows, 8 * written), limit)
        var total = try dropAged(limit: limit, names: names, changes: &changes, in: db)
        guard isCounted else {
            total.isBehind = true
            return total
        }
        total += try drop(
            count - total.deleted - maximumRows, of: count, .journalFull, budget: budget, names: names,
            changes: &changes, in: db)
        if maximumSize > 0 {
            let rest = count - total.deleted
            let excess = try Self.rowsBeyond(maximumSize, of: rest, in: db)
            total += try drop(
                excess, of: rest, .journalSize, budget: budget, names: names, changes: &changes, in: db)
        }
        return total
    }

    /// How many of `count` rows have to go for the database to use no more than `size` octets.
    ///
    /// Its file never shrinks, but what is free in it is used before it grows.
    private static func rowsBeyond(_ size: Int, of count: Int, in db: Database) throws -> Int {
        let page = try pragma("page_size", in: db)
        let used = (try pragma("page_count", in: db) - pragma("freelist_count", in: db)) * page
        guard used > size, count > 0 else { return 0 }
        // Some pages more than there must be, so that not each commit has to.
        let excess = Double(used - size + 4 * page) / Double(used)
        return min(Int((Double(count) * excess).rounded(.up)), count)
    }

    static func pragma(_ name: String, in db: Database) throws -> Int {
        try Row.fetchOne(db.cachedStatement(sql: "PRAGMA " + name))?.count(0) ?? 0
    }

    /// - Parameter isTolerant: more may stay for as long as a window is being thinned.
    mutating func drop(
        _ excess: Int, of count: Int, _ reason: DropReason, budget: Int, isTolerant: Bool = true, names: JournalNames,
        changes: inout LedgerChanges, in db: Database
    ) throws -> Outcome {
        guard excess > 0 else { return Outcome() }
        var outcome = Outcome()
        var tolerated = 0
        if policy == .thin {
            let before = thinning.done
            let progress = try thinning.goOn(deleting: excess, budget: budget, names: names, in: db) { run in
                try JournalStore.delete(run, in: db) { changes.dropped($0, $1, .thinned) }
            }
            outcome.deleted = progress.deleted
            if thinning.done != before {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO counter (name, value) VALUES (?, ?)",
                    arguments: [Self.thinnedTo, thinning.done])
            }
            // A long window is thinned by several transactions, which are given the room for it.
            if progress.isBusy, isTolerant { tolerated = count / 8 }
        }
        outcome.isBehind = outcome.deleted < excess
        // What is thin enough goes as well when there is still too much.
        let surplus = min(excess - outcome.deleted - tolerated, budget - outcome.deleted)
        guard surplus > 0 else { return outcome }
        let given = try share.drop(surplus, reach: budget, reason, changes: &changes, in: db)
        outcome.deleted += given
        // On a disk without room they go at once, whose they may be.
        if !isTolerant, given < surplus,
            let last = try JournalStore.number(ofRow: surplus - given, in: .min ... .max, db)
        {
            outcome.deleted += try JournalStore.delete(.min...last, in: db) { changes.dropped($0, $1, reason) }
        }
        outcome.isBehind = outcome.deleted < excess
        return outcome
    }

    // MARK: - Age

    /// Rows are in the order of reception: before one that is too old, all are, also those whose age is not known.
    private mutating func dropAged(
        limit: Int, names: JournalNames, changes: inout LedgerChanges, in db: Database
    ) throws -> Outcome {
        guard maximumAge > 0 else { return Outcome() }
        let now = clock.uptimeMilliseconds()
        guard now >= nextAgeCheck else { return Outcome() }
        nextAgeCheck = now.addingSaturated(Self.ageInterval)
        let ages = RowAges(now: now, boot: clock.boot, boots: names.boots)
        var cursor = Int64.min
        var last: Int64?
        var isBehind = true
        let batch = min(Self.ageBatch, limit)
        scan: for _ in 0..<(min(Self.ageRows, limit) / batch) {
            let page = try JournalStore.rows(after: cursor, limit: batch, in: db)
            for row in page {
                guard let age = ages.age(of: row) else { continue }
                guard age > maximumAge else {
                    isBehind = false
                    break scan
                }
                last = row.n
            }
            guard page.count == batch, let end = page.last else {
                isBehind = false
                break
            }
            cursor = end.n
        }
        guard let last else { return Outcome() }
        // Those behind the last one that was looked at may be too old as well.
        if isBehind { nextAgeCheck = now }
        let deleted = try JournalStore.delete(.min...last, in: db) { changes.dropped($0, $1, .journalAge) }
        return Outcome(deleted: deleted, isBehind: isBehind)
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
