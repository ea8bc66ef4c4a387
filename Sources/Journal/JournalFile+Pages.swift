// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB

extension JournalFile {
    /// Octets of a page of the database. A transaction writes each page that it touches to the log as a whole, and most
    /// of these hold little that is new: the table's root, the books, the list of free pages. A quarter of SQLite's own
    /// size halves what a reading writes to the card (a hundred in a transaction: 340 octets → 153; five: 2,500 → 1,250).
    static let pageSize = 1024
    /// Octets of a journal that is written anew for it, at most: this takes memory and time.
    static let longestRenewed = 4 << 20

    /// Gives the pages of a journal that an earlier version has begun today's size, where the journal is small and its
    /// disk has room. Others stay as they are, and do as well as before.
    ///
    /// SQLite does that without its log of today, in a transaction of its own: a power cut leaves the pages of one size or
    /// of the other. Nothing has the database open yet; where another process reads it, a later start will do.
    func renewPages() {
        let size = Self.size(of: path).addingSaturated(Self.size(of: path + "-wal"))
        guard size > 0, size <= Self.longestRenewed else { return }
        // It can be brought back to the log in any case.
        if let space = gauge.space(path), space.free < 4 * size + JournalRoom.leastReserve { return }
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try Self.distrust(db)
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY")
        }
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { db in
                guard try Row.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")?.text(0) == "delete" else { return }
                try db.execute(sql: "PRAGMA page_size = \(Self.pageSize); VACUUM")
            }
        } catch {
            // It is as it was, and whoever opens it says what is wrong with it.
        }
    }

    static func pageSize(of db: Database) throws -> Int {
        try Row.fetchOne(db, sql: "PRAGMA page_size")?.count(0) ?? pageSize
    }
}
