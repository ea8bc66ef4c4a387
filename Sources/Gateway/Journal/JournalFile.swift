// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Glibc
import Synchronization

/// The database file: made for its owner only, and held by one process at a time.
final class JournalFile: Sendable {
    /// Row numbers are reserved by so many.
    static let reservation: Int64 = 100_000

    /// What is known of row numbers outside the database.
    struct Mark: Equatable, Sendable {
        /// No row number above this one has ever been used.
        var number: Int64
        /// This one has been used, or was skipped: the journal was closed after it.
        var isExact: Bool
    }

    let path: String
    private let lock: Int32
    private let progress: JournalProgress
    /// Nil when it was never written down.
    private let mark: Mutex<Mark?>
    /// The last number that is known to have been used; nil when that was never written down.
    private let usedNumber: Mutex<Int64?>
    /// Device and inode of the database.
    private let identity = Mutex<[UInt64]>([])

    /// Takes the lock; the database itself is not touched.
    init(path: String, progress: JournalProgress = JournalProgress()) throws(JournalError) {
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
        self.progress = progress
        let (mark, used) = Self.readMarks(lock)
        self.mark = Mutex(mark)
        usedNumber = Mutex(used)
    }

    deinit { close(lock) }

    /// Lets another process have it.
    func release() { flock(lock, LOCK_UN) }

    /// Makes the database's file where there is none, for its owner only.
    static func open(_ file: String, for path: String) throws(JournalError) -> Int32 {
        let descriptor = Glibc.open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unwritable(path: path, reason: String(cString: strerror(errno))) }
        return descriptor
    }

    /// Sees to it that there is a file, and remembers which.
    func make() throws(JournalError) {
        // SQLite gives its log the mode of the database, so that one file made here is enough.
        close(try Self.open(path, for: path))
        identity.withLock { $0 = Self.identity(of: path) }
    }

    /// The file that was opened is no longer where it was: removed, or another one is in its place.
    var isReplaced: Bool { identity.withLock { $0 != Self.identity(of: path) } }

    /// The lock is on a file that is no longer there: it keeps nobody away.
    var isAstray: Bool {
        var status = stat()
        guard fstat(lock, &status) == 0 else { return true }
        return [UInt64(status.st_dev), UInt64(status.st_ino)] != Self.identity(of: path + ".lock")
    }

    private static func identity(of path: String) -> [UInt64] {
        var status = stat()
        return stat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : []
    }

    // MARK: - Row numbers

    /// All row numbers up to here may have been used; nil when it is not known.
    var reserved: Mark? { mark.withLock { $0 } }

    /// Writes down that numbers up to `n` may be used, before they are: outside the database, so that they are not used
    /// again when it is lost. Rarely has to write anything.
    func reserve(upTo n: Int64) throws(JournalError) {
        if let reserved, n <= reserved.number { return }
        try write(Mark(number: n.addingSaturated(Self.reservation), isExact: false))
    }

    /// Writes down the last number that was used: the journal is closed.
    func settle(at n: Int64) throws(JournalError) {
        let mark = Mark(number: n, isExact: true)
        if reserved != mark { try write(mark) }
    }

    /// The last number that is known to have been used. A crash of the process does not make it wrong; a power cut may
    /// take it back a little, not forward.
    var used: Int64? { usedNumber.withLock { $0 } }

    /// Writes down that a commit has used numbers up to `n`. Costs no sync: what it is for, to tell an old copy of the
    /// journal from the right file, needs none.
    func note(used n: Int64) {
        let isNew = usedNumber.withLock { used in
            defer { used = n }
            return used != n
        }
        guard isNew else { return }
        let line = Self.line(n, "used  ")
        _ = pwrite(lock, line, line.utf8.count, off_t(Self.lineLength))
    }

    private func write(_ mark: Mark) throws(JournalError) {
        let line = Self.line(mark.number, mark.isExact ? "closed" : "open  ")
        guard pwrite(lock, line, line.utf8.count, 0) == line.utf8.count, fdatasync(lock) == 0 else {
            throw .unwritable(path: path, reason: String(cString: strerror(errno)))
        }
        self.mark.withLock { $0 = mark }
    }

    private static let lineLength = 28

    /// All lines have one length: nothing is left of the one before.
    private static func line(_ number: Int64, _ word: String) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(20 - digits.count, 0)) + digits + " " + word + "\n"
    }

    private static func readMarks(_ lock: Int32) -> (Mark?, used: Int64?) {
        var text = [UInt8](repeating: 0, count: 2 * lineLength)
        let count = pread(lock, &text, text.count, 0)
        let lines = String(decoding: text.prefix(max(count, 0)), as: UTF8.self).split(separator: "\n").map {
            $0.split(separator: " ")
        }
        func number(_ line: Int, _ words: [Substring]) -> Int64? {
            guard lines.count > line, lines[line].count == 2, words.contains(lines[line][1]) else { return nil }
            return Int64(lines[line][0]).flatMap { (0...JournalStatistics.largestCount).contains($0) ? $0 : nil }
        }
        let mark = number(0, ["open", "closed"]).map { Mark(number: $0, isExact: lines[0][1] == "closed") }
        return (mark, number(1, ["used"]))
    }

    // MARK: - Opening

    /// Opens the database, brings it to the newest schema, and says in our words what is wrong with it.
    func openPool(durability: JournalConfiguration.Durability) throws(JournalError) -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "martlet.journal"
        configuration.maximumReaderCount = 2
        // Another process may read (sqlite3 on the command line); it may not make a commit wait for long.
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { [progress] db in
            // Not what readers do: it says nothing about the queue. A connection keeps this closure.
            if !db.configuration.readonly { progress.watch(db) }
            try db.execute(
                sql: """
                    PRAGMA wal_autocheckpoint = 1000;
                    PRAGMA journal_size_limit = 8388608;
                    PRAGMA cache_size = -1024;
                    PRAGMA temp_store = MEMORY;
                    """)
        }
        do {
            try refuseNewer()
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

    /// Throws when a newer version has been at it; reads only, so that such a file stays as it is.
    private func refuseNewer() throws {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return }
        var configuration = Configuration()
        configuration.readonly = true
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            let isNewer = try queue.read { db in
                try db.tableExists("grdb_migrations") && JournalSchema.migrator.hasBeenSuperseded(db)
            }
            if isNewer { throw JournalError.newer(path: path) }
        } catch DatabaseError.SQLITE_READONLY {
            // Power went while the file was made: it has a rollback journal, which only a writer can play back.
        }
    }

    static func explain(_ error: any Error, path: String) -> JournalError {
        if let error = error as? JournalError { return error }
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
