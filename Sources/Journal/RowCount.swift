// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB
import Readings

/// Counts the rows of a journal by sensor, a portion at a time, while rows come and go: a journal with millions of them
/// is used before it has been read through.
///
/// Rows are counted in the order of their numbers. What is written has greater numbers than all there is, so that the
/// count meets it later. What is deleted is told to ``remove(_:)`` where the count has passed it. In the end it has
/// exactly the rows of that moment, to be held against the books of that moment. Damaged pages are found by the way.
struct RowCount: Sendable {
    /// Rows of a portion: about a mebioctet to read, which commits wait for.
    static let portion = 20_000

    /// What the count has come to.
    struct Result: Equatable, Sendable {
        var rows = 0
        /// Sensors whose books do not balance.
        var unbalanced = 0
    }

    /// All rows with numbers below this one have been counted.
    private(set) var next = Int64.min
    private(set) var isComplete = false
    /// By sensor.
    private(set) var rows: [Int64: Int] = [:]

    /// Counts the next rows, so many at most.
    mutating func goOn(limit: Int = portion, in db: Database) throws {
        guard !isComplete else { return }
        let first = next
        var isInOrder = true
        var last: Int64?
        let count = try JournalStore.devices(of: first ... .max, limit: limit, in: db) { device, n in
            // SQLite does not look whether what it finds behind the page where it began is in order.
            isInOrder = isInOrder && n >= first && last.map { $0 < n } ?? true
            last = n
            rows[device, default: 0] += 1
        }
        // In a damaged file they may not be: a count that goes on behind the last one would never end.
        guard isInOrder else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "rows are not in order") }
        isComplete = count < limit || last == .max
        if let last { next = last.addingSaturated(1) }
    }

    /// Takes off rows that the count had passed and that are gone, by sensor.
    mutating func remove(_ gone: [Int64: Int]) {
        for (device, count) in gone { rows[device, default: 0] -= count }
    }

    /// Holds a complete count against the books.
    func result(_ page: LedgerPage) -> Result {
        let devices = Set(page.entries.keys).union(rows.keys)
        return Result(
            rows: rows.values.reduce(0, +),
            unbalanced: devices.count { (page.entries[$0]?.open ?? 0) != rows[$0] ?? 0 })
    }
}
