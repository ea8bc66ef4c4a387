// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB
import GRDBSQLite
import Readings

// The two statements that run for every reading use SQLite's own functions: GRDB's boxed arguments and rows take longer
// than SQLite itself does with such a small row.

extension JournalStore {
    static let insertion = """
        INSERT INTO reading (device, characteristic, source, rssi, boot, up, ts, clock, value)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static let reinsertion = """
        INSERT OR IGNORE INTO reading (device, characteristic, source, rssi, boot, up, ts, clock, value, n)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static let selection = """
        SELECT n, device, characteristic, source, rssi, boot, up, ts, clock, value
        FROM reading WHERE n >= ? ORDER BY n LIMIT ?
        """

    private static let devices = "SELECT device, n FROM reading WHERE n BETWEEN ? AND ? ORDER BY n LIMIT ?"
    private static let placement = "SELECT n FROM reading WHERE n BETWEEN ? AND ? ORDER BY n LIMIT 1 OFFSET ?"
    private static let deletion = "DELETE FROM reading WHERE n BETWEEN ? AND ?"
    private static let backwards = "SELECT n, boot, up FROM reading WHERE n > 0 ORDER BY n DESC"

    /// Writes one row with a prepared ``insertion``.
    static func insert(
        _ reading: Reading, device: Int64, characteristic: Int64, boot: Int64, with statement: Statement,
        in db: Database
    ) throws {
        let handle = statement.sqliteStatement
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        sqlite3_bind_int64(handle, 1, device)
        sqlite3_bind_int64(handle, 2, characteristic)
        sqlite3_bind_int64(handle, 3, reading.source.code)
        if let rssi = reading.rssi { sqlite3_bind_int64(handle, 4, Int64(rssi)) }
        sqlite3_bind_int64(handle, 5, boot)
        sqlite3_bind_int64(handle, 6, reading.stamp.uptimeMilliseconds)
        if let unix = reading.stamp.unixMilliseconds { sqlite3_bind_int64(handle, 7, unix) }
        sqlite3_bind_int64(handle, 8, reading.stamp.quality.code)
        try step(handle, withValue: reading.value, in: db)
    }

    /// Writes a row under its own number, unless the number exists.
    static func insert(_ row: JournalRow, in db: Database) throws {
        let handle = try db.cachedStatement(sql: reinsertion).sqliteStatement
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        sqlite3_bind_int64(handle, 1, row.device)
        sqlite3_bind_int64(handle, 2, row.characteristic)
        sqlite3_bind_int64(handle, 3, row.source.code)
        if let rssi = row.rssi { sqlite3_bind_int64(handle, 4, Int64(rssi)) }
        sqlite3_bind_int64(handle, 5, row.boot)
        sqlite3_bind_int64(handle, 6, row.uptimeMilliseconds)
        if let unix = row.unixMilliseconds { sqlite3_bind_int64(handle, 7, unix) }
        sqlite3_bind_int64(handle, 8, row.quality.code)
        sqlite3_bind_int64(handle, 10, row.n)
        try step(handle, withValue: row.value, in: db)
    }

    /// Binds the value, the 9th parameter, and runs the statement.
    private static func step(_ handle: SQLiteStatement, withValue value: [UInt8], in db: Database) throws {
        let code = value.withUnsafeBytes { octets in
            // A blob without an address would be NULL. No destructor is SQLITE_STATIC: the octets outlive the step, and
            // are unbound after it.
            if let start = octets.baseAddress, !octets.isEmpty {
                sqlite3_bind_blob(handle, 9, start, Int32(octets.count), nil)
            } else {
                sqlite3_bind_zeroblob(handle, 9, 0)
            }
            return sqlite3_step(handle)
        }
        guard code == SQLITE_DONE else { throw error(code, in: db) }
    }

    /// At most `limit` rows with numbers above `n`, in order.
    static func rows(
        after n: Int64, limit: Int, in db: Database
    ) throws -> [JournalRow] {
        guard n < .max else { return [] }
        let handle = try db.cachedStatement(sql: selection).sqliteStatement
        defer { sqlite3_reset(handle) }
        // SQLite goes to the page of the given number: the page of `n` itself may be damaged, and the next page good.
        sqlite3_bind_int64(handle, 1, n + 1)
        sqlite3_bind_int64(handle, 2, Int64(limit))
        var rows: [JournalRow] = []
        var last = n
        while true {
            let code = sqlite3_step(handle)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else { throw error(code, in: db) }
                return rows
            }
            // In a damaged file the rows may be out of order: a reader that continues behind the last row would never
            // end.
            let number = sqlite3_column_int64(handle, 0)
            guard number > last || rows.isEmpty && n == .min else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "rows are not in order")
            }
            last = number
            let count = Int(sqlite3_column_bytes(handle, 9))
            let value = sqlite3_column_blob(handle, 9).map { [UInt8](UnsafeRawBufferPointer(start: $0, count: count)) }
            rows.append(
                JournalRow(
                    n: number, device: sqlite3_column_int64(handle, 1),
                    characteristic: sqlite3_column_int64(handle, 2),
                    source: Reading.Source(code: sqlite3_column_int64(handle, 3)),
                    rssi: integer(handle, 4).map { Int8(clamping: $0) }, boot: sqlite3_column_int64(handle, 5),
                    uptimeMilliseconds: max(sqlite3_column_int64(handle, 6), 0), unixMilliseconds: integer(handle, 7),
                    quality: ClockQuality(code: sqlite3_column_int64(handle, 8)), value: value ?? []))
        }
    }

    /// Goes back from the newest row to the first older row.
    static func firstRow(
        ofBoot boot: Int64, since milliseconds: Int64, in db: Database
    ) throws -> Int64? {
        let handle = try db.cachedStatement(sql: backwards).sqliteStatement
        defer { sqlite3_reset(handle) }
        var first: Int64?
        while true {
            let code = sqlite3_step(handle)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else { throw error(code, in: db) }
                return first
            }
            let rowBoot = sqlite3_column_int64(handle, 1)
            // Later boots have greater ids, and their rows greater numbers.
            if rowBoot > boot { continue }
            guard rowBoot == boot, sqlite3_column_int64(handle, 2) >= milliseconds else { return first }
            first = sqlite3_column_int64(handle, 0)
        }
    }

    /// The number of the row at this place, counted from 1, in a run; nil when the run has fewer rows.
    static func number(ofRow place: Int, in run: ClosedRange<Int64>, _ db: Database) throws -> Int64? {
        let statement = try db.cachedStatement(sql: placement)
        return try Row.fetchOne(statement, arguments: [run.lowerBound, run.upperBound, place - 1])?.integer(0)
    }

    /// Deletes a run of rows, calls `tell` with the device and the number of each row, and returns their count.
    static func delete(_ run: ClosedRange<Int64>, in db: Database, _ tell: (Int64, Int64) -> Void) throws -> Int {
        let count = try devices(of: run, in: db, tell)
        guard count > 0 else { return 0 }
        let handle = try db.cachedStatement(sql: deletion).sqliteStatement
        defer { sqlite3_reset(handle) }
        sqlite3_bind_int64(handle, 1, run.lowerBound)
        sqlite3_bind_int64(handle, 2, run.upperBound)
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE else { throw error(code, in: db) }
        return count
    }

    /// Deletes rows of a set, as many as the budget allows, and returns the remaining rows.
    static func delete(
        _ rows: RowSet, within budget: inout Int, in db: Database, _ tell: (Int64, Int64) -> Void
    ) throws -> RowSet {
        var rest = RowSet()
        for run in rows.runs {
            guard budget > 0 else {
                rest.insert(run)
                continue
            }
            var part = run
            if budget < .max, let last = try number(ofRow: budget, in: run, db), last < run.upperBound {
                part = run.lowerBound...last
                rest.insert(last + 1...run.upperBound)
            }
            budget -= try delete(part, in: db, tell)
        }
        return rest
    }

    /// Calls back with the device and the number of each row in a run, or of its first rows up to a limit, and returns
    /// their count.
    static func devices(
        of run: ClosedRange<Int64>, limit: Int = .max, in db: Database, _ tell: (Int64, Int64) -> Void
    ) throws -> Int {
        let handle = try db.cachedStatement(sql: devices).sqliteStatement
        defer { sqlite3_reset(handle) }
        sqlite3_bind_int64(handle, 1, run.lowerBound)
        sqlite3_bind_int64(handle, 2, run.upperBound)
        sqlite3_bind_int64(handle, 3, Int64(limit))
        var count = 0
        while true {
            let code = sqlite3_step(handle)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else { throw error(code, in: db) }
                return count
            }
            tell(sqlite3_column_int64(handle, 0), sqlite3_column_int64(handle, 1))
            count += 1
        }
    }

    /// Reads a column that may be NULL.
    private static func integer(_ handle: SQLiteStatement, _ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
    }

    static func error(_ code: Int32, in db: Database) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
    }
}
