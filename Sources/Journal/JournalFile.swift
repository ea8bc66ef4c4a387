// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GRDB
import Glibc
import Readings
import Synchronization

/// The database file: made for its owner only, and held by one process at a time.
final class JournalFile: Sendable {
    /// Row numbers are reserved by so many.
    static let reservation: Int64 = 100_000

    let path: String
    let gauge: DiskGauge
    let folders: FolderOperations
    private let lock: Int32
    let progress: JournalProgress
    private let marks: Mutex<NumberMarks>
    /// Device and inode of the database.
    private let identity = Mutex<[UInt64]>([])

    /// Takes the lock; the database itself is not touched.
    init(
        path: String, gauge: DiskGauge = .system, folders: FolderOperations = .system,
        progress: JournalProgress = JournalProgress()
    ) throws(JournalError) {
        let folder = FolderOperations.folder(of: path)
        guard folders.makeFolders(folder) else {
            throw Self.unwritable(path, "folder \(folder): \(String(cString: strerror(errno)))")
        }
        // A lock file of its own: SQLite's locks on the database would fall when a second descriptor on it is closed.
        let lock = try Self.open(path + ".lock", for: path, folders, O_NOFOLLOW | O_NONBLOCK)
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .inUse(path: path)
        }
        self.path = path
        self.gauge = gauge
        self.folders = folders
        self.lock = lock
        self.progress = progress
        marks = Mutex(NumberMarks(Self.octets(of: lock, NumberMarks.length, at: 0)))
    }

    deinit { close(lock) }

    /// Lets another process have it.
    func release() { flock(lock, LOCK_UN) }

    /// Makes a file where there is none, for its owner only, and sees to it that its name stays.
    static func open(
        _ file: String, for path: String, _ folders: FolderOperations, _ flags: Int32 = 0
    ) throws(JournalError) -> Int32 {
        let isNew = access(file, F_OK) != 0
        let descriptor = Glibc.open(file, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else { throw unwritable(path, String(cString: strerror(errno))) }
        if isNew { _ = folders.sync(FolderOperations.folder(of: file)) }
        return descriptor
    }

    /// Sees to it that there is a file, and remembers which.
    func make() throws(JournalError) {
        // The log of a database that is gone belongs to no other; somebody may still read there.
        if access(path, F_OK) != 0 {
            for suffix in ["-journal", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
                _ = folders.remove(path + suffix)
            }
        }
        // SQLite gives its log the mode of the database, so that one file made here is enough.
        close(try Self.open(path, for: path, folders))
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
    var reserved: NumberMarks.Reservation? { marks.withLock { $0.reservation } }

    /// Writes down that numbers up to `n` may be used, before they are: outside the database, so that they are not used
    /// again when it is lost. Rarely has to write anything.
    ///
    /// - Parameter used: what has been used before; a file that does not know that cannot be told from an old copy.
    func reserve(upTo n: Int64, after used: NumberMarks.Used? = nil) throws(JournalError) {
        if let used, self.used == nil { note(used) }
        if let reserved, n <= reserved.number { return }
        try write(.init(number: n.addingSaturated(Self.reservation), isExact: false))
    }

    /// Writes down the last number that was used: the journal is closed.
    func settle(at n: Int64) throws(JournalError) {
        let reservation = NumberMarks.Reservation(number: n, isExact: true)
        if reserved != reservation { try write(reservation) }
    }

    /// The last number that is known to have been used. A crash of the process does not make it wrong; a power cut may
    /// take it back a little, not forward.
    var used: NumberMarks.Used? { marks.withLock { $0.used } }

    /// Writes down which numbers a commit has used. Costs no sync: what it is for, to tell an old copy of the journal from
    /// the right file, needs none.
    func note(_ used: NumberMarks.Used) {
        let isNew = marks.withLock { marks in
            defer { marks.used = used }
            return marks.used != used
        }
        guard isNew else { return }
        _ = folders.lockFile.write(lock, Array(NumberMarks.lines(used).utf8), NumberMarks.usedOffset)
    }

    private func write(_ reservation: NumberMarks.Reservation) throws(JournalError) {
        let line = Array(NumberMarks.line(reservation).utf8)
        guard folders.lockFile.write(lock, line, 0), folders.lockFile.sync(lock) else {
            throw Self.unwritable(path, String(cString: strerror(errno)))
        }
        marks.withLock { $0.reservation = reservation }
    }

    private static func octets(of file: Int32, _ count: Int, at offset: Int) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        let count = pread(file, &octets, octets.count, off_t(offset))
        return Array(octets.prefix(max(count, 0)))
    }

    // MARK: - Losses

    /// What earlier runs have lost when they stopped, the oldest first; the books may have some of it.
    var losses: [LossRecord] { LossRecord.records(in: Self.octets(of: lock, 4096, at: LossRecord.offset)) }

    /// Notes losses for the next run; says whether that could be written down.
    ///
    /// - Parameter isAll: those of earlier runs are among them.
    func leave(_ losses: [DropReason: [String: Int]], id: String, isAll: Bool) -> Bool {
        let octets = LossRecord.octets(of: (isAll ? [] : self.losses) + [LossRecord(id: id, losses: losses)])
        return folders.lockFile.truncate(lock, LossRecord.offset)
            && folders.lockFile.write(lock, octets, LossRecord.offset) && folders.lockFile.sync(lock)
    }

    /// The books have them.
    func forgetLosses() { _ = folders.lockFile.truncate(lock, LossRecord.offset) }

    // MARK: - Opening

    /// Opens the database, brings it to the newest schema, and says in our words what is wrong with it.
    func openPool(durability: JournalConfiguration.Durability) throws(JournalError) -> JournalPool {
        var configuration = Configuration()
        configuration.label = "martlet.journal"
        // One, which is opened below and stays. A connection that is opened later may meet another file in this one's place,
        // and SQLite then empties the index of the log, which it has in memory for the first one: a bus error.
        configuration.maximumReaderCount = 1
        // Another process may read (sqlite3 on the command line); it may not make a commit wait for long.
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { [progress] db in
            try Self.distrust(db)
            // Not what readers do: it says nothing about the queue. A connection keeps this closure.
            if !db.configuration.readonly {
                progress.watch(db)
                // Takes effect on an empty file alone.
                try db.execute(sql: "PRAGMA page_size = \(Self.pageSize)")
            }
            try db.execute(
                sql: """
                    PRAGMA wal_autocheckpoint = \(JournalRoom.ample.logPages(of: try Self.pageSize(of: db)));
                    PRAGMA journal_size_limit = \(JournalRoom.ample.logLimit);
                    PRAGMA cache_size = -1024;
                    PRAGMA temp_store = MEMORY;
                    """)
        }
        do {
            try check()
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.read { _ in }
            // Here and not above: GRDB sets NORMAL when it turns the log on, which comes after the preparation.
            try Self.setSynchronous("FULL", pool)
            try JournalSchema.migrator.migrate(pool)
            try pool.write { try RowNumbers.begin(durability, in: $0) }
            if durability == .fast { try Self.setSynchronous("NORMAL", pool) }
            return JournalPool(pool)
        } catch {
            throw Self.explain(error, path: path)
        }
    }

    private static func setSynchronous(_ mode: String, _ pool: DatabasePool) throws {
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(mode)") }
    }

    /// Throws when a newer version has been at it, or its tables are not those of a journal; reads only, so that such a file
    /// stays as it is.
    private func check() throws {
        guard Self.size(of: path) > 0 else { return }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase(Self.distrust)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            let limit = StepLimit(forFile: path)
            try queue.read { db in try limit.hold(db) { try SchemaCheck.run(db, path: path) } }
        } catch DatabaseError.SQLITE_READONLY {
            // Power went while the file was made: it has a rollback journal, which only a writer can play back.
        }
    }

    /// Nothing that stands in a file's schema is run for its own sake, and each page is looked at when it is read: where two files
    /// were mixed up, lengths that a page tells may reach beyond it.
    static func distrust(_ db: Database) throws {
        try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    }

    /// A full disk has many names: SQLite calls it an I/O error when there is no room for the index of its log.
    private static func unwritable(_ path: String, _ reason: String) -> JournalError {
        if let space = DiskGauge.system.space(FolderOperations.folder(of: path)), space.total > 0,
            space.free < JournalRoom.leastReserve
        {
            return .full(path: path)
        }
        return .unwritable(path: path, reason: reason)
    }

    static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    static func explain(_ error: any Error, path: String) -> JournalError {
        if let error = error as? JournalError { return error }
        guard let error = error as? DatabaseError else { return .failed(path: path, reason: "\(error)") }
        let reason = error.message ?? "SQLite \(error.resultCode)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: return .corrupt(path: path, reason: reason)
        case .SQLITE_FULL: return .full(path: path)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_PERM: return unwritable(path, reason)
        case .SQLITE_BUSY, .SQLITE_LOCKED: return .inUse(path: path)
        default: return .failed(path: path, reason: reason)
        }
    }
}
