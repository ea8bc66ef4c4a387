// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Glibc

/// The database file: made for its owner only, and held by one process at a time.
final class JournalFile: Sendable {
    let path: String
    private let lock: Int32

    init(path: String) throws(JournalError) {
        let folder = (path as NSString).deletingLastPathComponent
        if !folder.isEmpty, !FileManager.default.fileExists(atPath: folder) {
            do {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw .unwritable(path: path, reason: "folder \(folder): \(error.localizedDescription)")
            }
        }
        // A lock file of its own: SQLite's locks on the database would fall when a second descriptor on it is closed.
        let lock = try Self.open(path + ".lock", for: path)
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .inUse(path: path)
        }
        self.path = path
        self.lock = lock
        // SQLite gives its log the mode of the database, so that one file made here is enough.
        close(try Self.open(path, for: path))
    }

    private static func open(_ file: String, for path: String) throws(JournalError) -> Int32 {
        let descriptor = Glibc.open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unwritable(path: path, reason: String(cString: strerror(errno))) }
        return descriptor
    }

    deinit { close(lock) }

    /// Lets another process have it.
    func release() { flock(lock, LOCK_UN) }

    /// Opens the database, brings it to the newest schema, and says in our words what is wrong with it.
    func openPool(durability: JournalConfiguration.Durability) throws(JournalError) -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "martlet.journal"
        configuration.maximumReaderCount = 2
        // Another process may read (sqlite3 on the command line); it may not make a commit wait for long.
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA wal_autocheckpoint = 1000;
                    PRAGMA journal_size_limit = 8388608;
                    PRAGMA cache_size = -1024;
                    PRAGMA temp_store = MEMORY;
                    """)
        }
        do {
            let pool = try DatabasePool(path: path, configuration: configuration)
            // Here and not above: GRDB sets NORMAL when it turns the log on, which comes after the preparation.
            try Self.setSynchronous("FULL", pool)
            try JournalSchema.migrator.migrate(pool)
            try pool.write { try RowNumbers.begin(durability, in: $0) }
            if durability == .fast { try Self.setSynchronous("NORMAL", pool) }
            return pool
        } catch {
            throw Self.explain(error, path: path)
        }
    }

    private static func setSynchronous(_ mode: String, _ pool: DatabasePool) throws {
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(mode)") }
    }

    static func explain(_ error: any Error, path: String) -> JournalError {
        guard let error = error as? DatabaseError else { return .failed(path: path, reason: "\(error)") }
        let reason = error.message ?? "SQLite \(error.resultCode)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: return .corrupt(path: path, reason: reason)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_PERM:
            return .unwritable(path: path, reason: reason)
        case .SQLITE_BUSY, .SQLITE_LOCKED: return .inUse(path: path)
        default: return .failed(path: path, reason: reason)
        }
    }
}
