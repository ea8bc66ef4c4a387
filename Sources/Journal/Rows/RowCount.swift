// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB
import Readings

/// Counts the rows of a journal by sensor, a portion at a time, while rows come and go: a journal with millions of rows
/// is in use before it has been read through.
///
/// Rows are counted in the order of their numbers. New rows have greater numbers than all old rows, so the count meets
/// them later. ``remove(_:)`` learns of deleted rows that the count has passed. At its end the count has exactly the
/// rows of this moment, and can be compared with the ledger of this moment. The count also finds damaged pages.
struct RowCount: Sendable {
    /// Rows of a portion: reading takes about a mebioctet, and commits wait meanwhile.
    static let portion = 20_000

    /// The result of the count.
    struct Result: Equatable, Sendable {
        var rows = 0
        /// Sensors whose ledger entries do not balance.
        var unbalanced = 0
    }

    /// All rows with numbers below this number have been counted.
    private(set) var next = Int64.min
    private(set) var isComplete = false
    /// By sensor.
    private(set) var rows: [Int64: Int] = [:]

    /// Counts the next rows, at most `limit`.
    mutating func goOn(limit: Int = portion, in db: Database) throws {
        guard !isComplete else { return }
        let first = next
        var isInOrder = true
        var last: Int64?
        let count = try JournalStore.devices(of: first ... .max, limit: limit, in: db) { device, n in
            // SQLite does not check the order of rows on pages behind the first.
            isInOrder = isInOrder && n >= first && last.map { $0 < n } ?? true
            last = n
            rows[device, default: 0] += 1
        }
        // In a damaged file the rows may be out of order: a count that continues behind the last row would never end.
        guard isInOrder else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "rows are not in order") }
        isComplete = count < limit || last == .max
        if let last { next = last.addingSaturated(1) }
    }

    /// Subtracts deleted rows that the count had passed, by sensor.
    mutating func remove(_ gone: [Int64: Int]) {
        for (device, count) in gone { rows[device, default: 0] -= count }
    }

    /// Compares a complete count with the ledger.
    func result(_ page: LedgerPage) -> Result {
        let devices = Set(page.entries.keys).union(rows.keys)
        return Result(
            rows: rows.values.reduce(0, +),
            unbalanced: devices.count { (page.entries[$0]?.open ?? 0) != rows[$0] ?? 0 })
    }
}
