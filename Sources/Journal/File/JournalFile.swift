// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GRDB
import Glibc
import Readings
import Synchronization

/// The database file: made for its owner only, and held by one process at a time.
final class JournalFile: Sendable {
    /// Row numbers in one reservation.
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
        // A separate lock file: SQLite's locks on the database would fall when a second descriptor of the database is
        // closed.
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

    /// Lets another process have the journal.
    func release() { flock(lock, LOCK_UN) }

    /// Opens a file, makes it for its owner only if it is missing, and makes its name durable.
    static func open(
        _ file: String, for path: String, _ folders: FolderOperations, _ flags: Int32 = 0
    ) throws(JournalError) -> Int32 {
        let isNew = access(file, F_OK) != 0
        let descriptor = Glibc.open(file, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else { throw unwritable(path, String(cString: strerror(errno))) }
        if isNew { _ = folders.sync(FolderOperations.folder(of: file)) }
        return descriptor
    }

    /// Makes the file if it is missing, and remembers its identity.
    func make() throws(JournalError) {
        // The log of a removed database belongs to no other database; a reader may still have it open.
        if access(path, F_OK) != 0 {
            for suffix in ["-journal", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
                _ = folders.remove(path + suffix)
            }
        }
        // SQLite gives its log the mode of the database, so that making this one file is enough.
        close(try Self.open(path, for: path, folders))
        identity.withLock { $0 = Self.identity(of: path) }
    }

    /// The opened file is no longer in its place: it was removed, or another file is there.
    var isReplaced: Bool { identity.withLock { $0 != Self.identity(of: path) } }

    /// The locked file is no longer in its place: the lock keeps no process away.
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

    /// All row numbers up to here may have been used; nil when the reservation is unknown.
    var reserved: NumberMarks.Reservation? { marks.withLock { $0.reservation } }

    /// Reserves the numbers up to `n` before they are used. The reservation is outside the database, so that no number
    /// is used twice when the database is lost. The call rarely has to write anything.
    ///
    /// - Parameter used: The numbers used before. Without them, the file cannot be told from an old copy.
    func reserve(upTo n: Int64, after used: NumberMarks.Used? = nil) throws(JournalError) {
        if let used, self.used == nil { record(used) }
        if let reserved, n <= reserved.number { return }
        try write(.init(number: n.addingSaturated(Self.reservation), isExact: false))
    }

    /// Writes down the last used number: the journal is closed.
    func settle(at n: Int64) throws(JournalError) {
        let reservation = NumberMarks.Reservation(number: n, isExact: true)
        if reserved != reservation { try write(reservation) }
    }

    /// The last number that is known to have been used. A crash of the process does not make the number wrong; a power
    /// cut may take it back a little, never forward.
    var used: NumberMarks.Used? { marks.withLock { $0.used } }

    /// Writes down the numbers that a commit has used, without a sync: to tell an old copy of the journal from the
    /// right file needs none.
    func record(_ used: NumberMarks.Used) {
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

    static func octets(of file: Int32, _ count: Int, at offset: Int) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        let count = pread(file, &octets, octets.count, off_t(offset))
        return Array(octets.prefix(max(count, 0)))
    }

    // MARK: - Losses

    /// Losses of earlier runs at their stop, the oldest first; the ledger may already have some of them.
    var losses: [LossRecord] { LossRecord.records(in: Self.octets(of: lock, 4096, at: LossRecord.offset)) }

    /// Notes losses for the next run; true if the note could be written.
    ///
    /// - Parameter isAll: The losses of earlier runs are among them.
    func leave(_ losses: [DropReason: [String: Int]], id: String, isAll: Bool) -> Bool {
        let octets = LossRecord.octets(of: (isAll ? [] : self.losses) + [LossRecord(id: id, losses: losses)])
        return folders.lockFile.truncate(lock, LossRecord.offset)
            && folders.lockFile.write(lock, octets, LossRecord.offset) && folders.lockFile.sync(lock)
    }

    /// The ledger has these losses.
    func forgetLosses() { _ = folders.lockFile.truncate(lock, LossRecord.offset) }

    // MARK: - Opening

    /// Opens the database, brings it to the newest schema, and describes failures in our words.
    func openPool(durability: JournalConfiguration.Durability) throws(JournalError) -> JournalPool {
        var configuration = Configuration()
        configuration.label = "martlet.journal"
        // One connection, opened below for good. A later connection may meet another file in this file's place. SQLite
        // then empties the index of the log, which the first connection has in memory: a bus error.
        configuration.maximumReaderCount = 1
        // Another process may read (sqlite3 on the command line), but a commit may not wait long for it.
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { [progress] db in
            try Self.distrust(db)
            // Only the writer counts: the steps of readers say nothing about the queue. A connection keeps this
            // closure.
            if !db.configuration.readonly {
                progress.watch(db)
                // Only an empty file takes the page size.
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
            // Set here because GRDB sets NORMAL when it turns the log on, after the preparation.
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

    /// Throws when a newer version has written the file, or when its tables are not those of a journal. The check only
    /// reads, so that such a file stays unchanged.
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
            // A power cut interrupted the making of the file: its rollback journal needs a writer to play it back.
        }
    }

    /// Keeps SQLite from running code in a file's schema, and makes it check each page that it reads: in a mix of two
    /// files, the lengths in a page may reach beyond the page.
    static func distrust(_ db: Database) throws {
        try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    }

    /// A full disk has many names: SQLite reports an I/O error when there is no room for the index of its log.
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
