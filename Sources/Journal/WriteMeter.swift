// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite
import Glibc

/// What a transaction writes to the disk, in octets: what the kernel counts for the thread that makes it, checkpoints
/// included, or the frames in SQLite's log where it counts nothing (not all kernels do).
struct WriteMeter {
    /// A page in the log has a header (sqlite.org/fileformat2.html, "The Write-Ahead Log").
    private static let frameHeader: Int64 = 24

    /// RUSAGE_THREAD of getrusage(2), a GNU extension that Swift does not see.
    private static let thisThread: Int32 = 1

    private let kernel = Self.kernelCount()

    /// Begins to measure what this thread writes.
    init(_ db: Database) {
        // Reset to what comes from now on.
        _ = Self.pages(in: db)
    }

    func octets(_ db: Database, pageSize: Int64) -> Int64 {
        max(Self.pages(in: db) * (pageSize + Self.frameHeader), Self.kernelCount() - kernel)
    }

    /// Pages that the connection has written since this was last asked.
    private static func pages(in db: Database) -> Int64 {
        var count: Int32 = 0
        var highest: Int32 = 0
        guard let connection = db.sqliteConnection else { return 0 }
        sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 1)
        return Int64(count)
    }

    /// What the thread made dirty in the page cache, in octets (`write_bytes` of proc_pid_io(5), in blocks of 512); 0 where
    /// the kernel does not count it.
    private static func kernelCount() -> Int64 {
        var usage = rusage()
        guard getrusage(thisThread, &usage) == 0 else { return 0 }
        return Int64(usage.ru_oublock) * 512
    }
}
