// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB
import Platform
import Readings

/// Decides which rows are given up when the journal holds too many or too old rows, or too many octets. A value, so
/// that a failed transaction leaves the old state.
struct Retention {
    /// The result of one transaction.
    struct Outcome {
        var deleted = 0
        /// There are still too many rows: the next transaction continues.
        var isBehind = false

        static func += (total: inout Outcome, part: Outcome) {
            total.deleted += part.deleted
            total.isBehind = total.isBehind || part.isBehind
        }
    }

    /// How often the ages of rows are checked, in milliseconds.
    private static let ageInterval: Int64 = 60_000
    /// Rows that one search by age reads.
    private static let ageRows = 100_000
    private static let ageBatch = 4096
    /// Rows that one transaction deletes when few readings come in.
    static let transactionRows = 65_536

    private let maximumRows: Int
    /// Octets; the limit of the database.
    private let maximumSize: Int
    /// Milliseconds; the limit for the age of a row.
    private let maximumAge: Int64
    private let clock: BootClock
    private var nextAgeCheck = Int64.min
    private var share = FairShare()

    init(_ configuration: JournalConfiguration, clock: BootClock) {
        maximumRows = max(configuration.maximumRows, 1)
        maximumSize = configuration.maximumMegabytes << 20
        maximumAge = Int64(configuration.maximumAgeHours) * 3_600_000
        self.clock = clock
    }

    /// Deletes the excess of `count` rows, of which `written` are new, and counts the deleted rows.
    ///
    /// - Parameters:
    ///   - isCounted: `count` is no more than the true number. The ledger's figure alone may be more: until the rows
    ///     are counted,
    ///     no row is deleted for being too many.
    ///   - limit: Rows that may be deleted, or read for deletion, for one reason.
    mutating func apply(
        to count: Int, isCounted: Bool, written: Int, limit: Int, names: JournalNames, changes: inout LedgerChanges,
        in db: Database
    ) throws -> Outcome {
        // More rows than come in, so that any excess goes in the end.
        let budget = min(max(Self.transactionRows, 8 * written), limit)
        var total = try dropAged(limit: limit, names: names, changes: &changes, in: db)
        guard isCounted else {
            total.isBehind = true
            return total
        }
        total += try drop(
            count - total.deleted - maximumRows, .journalFull, budget: budget, changes: &changes, in: db)
        if maximumSize > 0 {
            let rest = count - total.deleted
            let excess = try Self.rowsBeyond(maximumSize, of: rest, in: db)
            total += try drop(excess, .journalSize, budget: budget, changes: &changes, in: db)
        }
        return total
    }

    /// How many of `count` rows have to go before the database uses no more than `size` octets.
    ///
    /// The file never shrinks, but the free pages in it are used before it grows.
    private static func rowsBeyond(_ size: Int, of count: Int, in db: Database) throws -> Int {
        let page = try pragma("page_size", in: db)
        let used = (try pragma("page_count", in: db) - pragma("freelist_count", in: db)) * page
        guard used > size, count > 0 else { return 0 }
        // Some pages more than necessary, so that not each commit has to delete.
        let excess = Double(used - size + 4 * page) / Double(used)
        return min(Int((Double(count) * excess).rounded(.up)), count)
    }

    static func pragma(_ name: String, in db: Database) throws -> Int {
        try Row.fetchOne(db.cachedStatement(sql: "PRAGMA " + name))?.count(0) ?? 0
    }

    /// - Parameter takesAny: The disk has no room: if the sensors with the most rows do not give enough, the oldest rows
    ///   go at once, whatever sensor they belong to.
    mutating func drop(
        _ excess: Int, _ reason: DropReason, budget: Int, takesAny: Bool = false, changes: inout LedgerChanges,
        in db: Database
    ) throws -> Outcome {
        guard excess > 0 else { return Outcome() }
        let wanted = min(excess, budget)
        guard wanted > 0 else { return Outcome(isBehind: true) }
        var deleted = try share.drop(wanted, reach: budget, reason, changes: &changes, in: db)
        if takesAny, deleted < wanted,
            let last = try JournalStore.number(ofRow: wanted - deleted, in: .min ... .max, db)
        {
            deleted += try JournalStore.delete(.min...last, in: db) { changes.dropped($0, $1, reason) }
        }
        return Outcome(deleted: deleted, isBehind: deleted < excess)
    }

    // MARK: - Age

    /// Rows are in the order of reception: before a row that is too old all rows are too old, even rows of unknown age.
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
        // The rows behind the last inspected row may be too old as well.
        if isBehind { nextAgeCheck = now }
        let deleted = try JournalStore.delete(.min...last, in: db) { changes.dropped($0, $1, .journalAge) }
        return Outcome(deleted: deleted, isBehind: isBehind)
    }
}

/// The age of rows, in milliseconds, as far as it is known without a wall clock that may be wrong.
struct RowAges {
    private let now: Int64
    private let boots: [Int64: JournalBoot]
    private let current: JournalBoot?

    init(now: Int64, boot: String, boots: [String: JournalBoot]) {
        self.now = now
        self.boots = Dictionary(boots.values.map { ($0.id, $0) }) { first, _ in first }
        current = boots[boot]
    }

    /// Nil if the age is unknown: the clock has not been right in this boot, or was not right in the row's boot.
    func age(of row: JournalRow) -> Int64? {
        if row.boot == current?.id { return now.subtractingSaturated(row.uptimeMilliseconds) }
        guard let offset = current?.offset else { return nil }
        let then =
            row.unixMilliseconds ?? boots[row.boot]?.offset.map { row.uptimeMilliseconds.addingSaturated($0) }
        return then.map { now.addingSaturated(offset).subtractingSaturated($0) }
    }
}
