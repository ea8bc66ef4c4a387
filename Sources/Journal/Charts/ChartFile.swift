// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import GRDB
import Logging
import Platform
import Readings
import Synchronization

/// The points of the page's charts, in a SQLite file of their own: for up to 31 days, over restarts.
///
/// The journal's queue writes the file, so that no two transactions of the process are made at once. The written octets
/// count for the journal's budget, and charts wait while the budget is overdrawn or the disk is short of room. The file
/// is bounded by its number of pages. Charts are not precious: a damaged file is removed.
package final class ChartFile: Sendable {
    /// Sensors' quantities in the file.
    static let maximumSeries = 1_000
    /// Pages of 4 KiB: 24 MiB. 1,000 quantities take 14 MiB.
    static let maximumPages = 6_144
    private static let version: Int64 = 1

    let path: String
    private let journal: Journal
    private let logger: Logger
    private let database = Mutex<DatabaseQueue?>(nil)
    private let readers = DispatchQueue(label: "martlet.charts", qos: .utility)
    private let hasFailed = Mutex(false)

    package init(path: String, journal: Journal, logger: Logger) {
        (self.path, self.journal, self.logger) = (path, journal, logger)
    }

    // MARK: - Writing

    /// Writes blocks in one transaction, each in place of its former content, and removes the oldest blocks.
    ///
    /// - Parameter now: Milliseconds since 1970.
    ///
    /// - Returns: False if nothing was written; the caller tries again later.
    package func keep(_ blocks: [ChartBlock], at now: Int64) async -> Bool {
        await withCheckedContinuation { continuation in
            journal.onQueue { [self] in continuation.resume(returning: write(blocks, at: now)) }
        }
    }

    private func write(_ blocks: [ChartBlock], at now: Int64) -> Bool {
        guard journal.hasRoomBeside else { return false }
        do {
            let octets = try use { database in
                try database.writeWithoutTransaction { db in
                    let meter = WriteMeter(db)
                    try db.inTransaction {
                        try ChartStatements.write(blocks, at: now, in: db)
                        return .commit
                    }
                    return meter.octets(db, pageSize: 4_096)
                }
            }
            journal.wroteBeside(octets)
            hasFailed.withLock { $0 = false }
            return true
        } catch {
            report(error)
            return false
        }
    }

    // MARK: - Reading

    /// The blocks of these times, in order; none while the file cannot be read.
    ///
    /// - Parameter sensor: nil: all sensors.
    package func blocks(of tier: ChartTier, in range: ClosedRange<Int64>, sensor: String? = nil) async -> [ChartBlock] {
        await withCheckedContinuation { continuation in
            readers.async { [self] in
                do {
                    let found = try use { try $0.read { try ChartStatements.blocks(tier, range, sensor, in: $0) } }
                    continuation.resume(returning: found)
                } catch {
                    report(error)
                    continuation.resume(returning: [])
                }
            }
        }
    }

    // MARK: - The file

    /// Opens the file if necessary. A file that is no file of charts is made anew.
    private func use<Value>(_ body: (DatabaseQueue) throws -> Value) throws -> Value {
        let queue = try database.withLock { database in
            if let database { return database }
            let opened: DatabaseQueue
            do {
                opened = try open()
            } catch let error as DatabaseError where error.isOfContent {
                remove()
                opened = try open()
            }
            database = opened
            return opened
        }
        do {
            return try body(queue)
        } catch let error as DatabaseError where error.isOfContent {
            database.withLock { database in
                guard database === queue else { return }
                try? queue.close()
                remove()
                database = nil
            }
            throw error
        }
    }

    private func open() throws -> DatabaseQueue {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if !FileManager.default.fileExists(atPath: path) {
            // SQLite gives its log the mode of the database.
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        var configuration = GRDB.Configuration()
        configuration.label = "martlet.charts"
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA journal_mode = WAL;
                    PRAGMA synchronous = NORMAL;
                    PRAGMA cache_size = -256;
                    PRAGMA journal_size_limit = 262144;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA max_page_count = \(Self.maximumPages);
                    """)
        }
        let opened = try DatabaseQueue(path: path, configuration: configuration)
        try opened.write { db in
            let version = try Row.fetchOne(db, sql: "PRAGMA user_version")?.integer(0) ?? 0
            if version == Self.version { return }
            guard version == 0 else { throw DatabaseError(resultCode: .SQLITE_NOTADB, message: "another version") }
            try ChartStatements.make(in: db)
            try db.execute(sql: "PRAGMA user_version = \(Self.version)")
        }
        return opened
    }

    private func remove() {
        logger.warning("the file of the charts cannot be read, and is made anew", metadata: ["file": "\(path)"])
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    /// Reports the first failure in a row.
    private func report(_ error: any Error) {
        let isFirst = hasFailed.withLock { failed in
            defer { failed = true }
            return !failed
        }
        guard isFirst else { return }
        logger.warning("charts are not kept", metadata: ["file": "\(path)", "error": "\(error)"])
    }
}

extension DatabaseError {
    /// The file holds something else, or is damaged.
    fileprivate var isOfContent: Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_MISMATCH].contains(resultCode)
    }
}

extension Journal {
    /// Another file may be written now: the day's budget has room, and so has the disk.
    var hasRoomBeside: Bool {
        state.withLock { state in
            let books = state.books.current(with: state.batches)
            return books.problem == nil && books.notice == nil && !state.commits.isOverdrawn(at: clock.now())
        }
    }

    /// Counts the octets of another file of the journal's queue, for the budget and for the statistics.
    func wroteBeside(_ octets: Int64) {
        state.withLock { state in
            state.commits.wroteBeside(octets, at: clock.now())
            state.books.wroteBeside(octets)
        }
    }
}
