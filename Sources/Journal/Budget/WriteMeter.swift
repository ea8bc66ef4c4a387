// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite
import Glibc

/// The octets that a transaction writes to the disk. The kernel counts them for the thread of the transaction,
/// checkpoints included. Not all kernels count; then the frames in SQLite's log stand in.
struct WriteMeter {
    /// A page in the log has a header (sqlite.org/fileformat2.html, "The Write-Ahead Log").
    private static let frameHeader: Int64 = 24

    /// RUSAGE_THREAD of getrusage(2), a GNU extension that Swift does not see.
    private static let thisThread: Int32 = 1

    private let kernel = Self.kernelCount()

    /// Begins to measure this thread's writes.
    init(_ db: Database) {
        // Resets the count of pages.
        _ = Self.pages(in: db)
    }

    func octets(_ db: Database, pageSize: Int64) -> Int64 {
        max(Self.pages(in: db) * (pageSize + Self.frameHeader), Self.kernelCount() - kernel)
    }

    /// Pages that the connection has written since the last question.
    private static func pages(in db: Database) -> Int64 {
        var count: Int32 = 0
        var highest: Int32 = 0
        guard let connection = db.sqliteConnection else { return 0 }
        sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 1)
        return Int64(count)
    }

    /// Octets that the thread made dirty in the page cache (`write_bytes` of proc_pid_io(5), in blocks of 512); 0 if
    /// the kernel does not count them.
    private static func kernelCount() -> Int64 {
        var usage = rusage()
        guard getrusage(thisThread, &usage) == 0 else { return 0 }
        return Int64(usage.ru_oublock) * 512
    }
}
