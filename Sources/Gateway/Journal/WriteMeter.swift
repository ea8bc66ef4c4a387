// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite
import Glibc

/// What a transaction writes to the disk, in octets: what the kernel counts for the thread that makes it, checkpoints
/// included, or the frames in SQLite's log where it counts nothing (not all kernels do).
struct WriteMeter {
    /// A page in the log has a header (sqlite.org/fileformat2.html, "The Write-Ahead Log").
    private static let frameHeader: Int64 = 24

    private let kernel = Self.kernelCount()

    /// Begins to measure what this thread writes.
    init(_ db: Database) {
        // Reset to what comes from now on.
        _ = Self.pages(in: db)
    }

    func octets(_ db: Database, pageSize: Int64 = 4096) -> Int64 {
        let frames = Self.pages(in: db) * (pageSize + Self.frameHeader)
        guard let before = kernel, let after = Self.kernelCount() else { return frames }
        return max(frames, after - before)
    }

    /// Pages that the connection has written since this was last asked.
    private static func pages(in db: Database) -> Int64 {
        var count: Int32 = 0
        var highest: Int32 = 0
        guard let connection = db.sqliteConnection else { return 0 }
        sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 1)
        return Int64(count)
    }

    /// The thread's `write_bytes` (proc_pid_io(5)): what it made dirty in the page cache.
    private static func kernelCount() -> Int64? {
        let descriptor = open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 512) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0 else { return nil }
            let text = Substring(decoding: buffer[..<count], as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix("write_bytes: ") }
            return line.flatMap { Int64($0.dropFirst("write_bytes: ".count)) }
        }
    }
}
