// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite

// The two statements that run once a reading use SQLite's own functions: GRDB's boxed arguments and rows take longer
// than SQLite itself does with a row this small.

extension JournalStore {
    static let insertion = """
        INSERT INTO reading (device, characteristic, source, rssi, boot, up, ts, clock, value)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    static let selection = """
        SELECT n, device, characteristic, source, rssi, boot, up, ts, clock, value
        FROM reading WHERE n > ? ORDER BY n LIMIT ?
        """

    static let backwards = "SELECT n, boot, up FROM reading ORDER BY n DESC"

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
        let code = reading.value.withUnsafeBytes { octets in
            // A blob without an address would be NULL. No destructor is SQLITE_STATIC: the octets outlive the step,
            // and are unbound after it.
            if let start = octets.baseAddress, !octets.isEmpty {
                sqlite3_bind_blob(handle, 9, start, Int32(octets.count), nil)
            } else {
                sqlite3_bind_zeroblob(handle, 9, 0)
            }
            return sqlite3_step(handle)
        }
        guard code == SQLITE_DONE else { throw error(code, in: db) }
    }

    /// Reads rows with a prepared ``selection``.
    static func rows(
        after n: Int64, limit: Int, with statement: Statement, in db: Database
    ) throws -> [JournalRow] {
        let handle = statement.sqliteStatement
        defer { sqlite3_reset(handle) }
        sqlite3_bind_int64(handle, 1, n)
        sqlite3_bind_int64(handle, 2, Int64(limit))
        var rows: [JournalRow] = []
        while true {
            let code = sqlite3_step(handle)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else { throw error(code, in: db) }
                return rows
            }
            let count = Int(sqlite3_column_bytes(handle, 9))
            let value = sqlite3_column_blob(handle, 9).map { [UInt8](UnsafeRawBufferPointer(start: $0, count: count)) }
            rows.append(
                JournalRow(
                    n: sqlite3_column_int64(handle, 0), device: sqlite3_column_int64(handle, 1),
                    characteristic: sqlite3_column_int64(handle, 2),
                    source: Reading.Source(code: sqlite3_column_int64(handle, 3)),
                    rssi: integer(handle, 4).map { Int8(clamping: $0) }, boot: sqlite3_column_int64(handle, 5),
                    uptimeMilliseconds: sqlite3_column_int64(handle, 6), unixMilliseconds: integer(handle, 7),
                    quality: ClockQuality(code: sqlite3_column_int64(handle, 8)), value: value ?? []))
        }
    }

    /// Goes back from the newest row, with a prepared ``backwards``, to the first that is older.
    static func firstRow(
        ofBoot boot: Int64, since milliseconds: Int64, with statement: Statement, in db: Database
    ) throws -> Int64? {
        let handle = statement.sqliteStatement
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

    /// A column that may be NULL.
    private static func integer(_ handle: SQLiteStatement, _ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
    }

    private static func error(_ code: Int32, in db: Database) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
    }
}
