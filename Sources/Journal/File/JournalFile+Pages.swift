// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB

extension JournalFile {
    /// Octets of a page of the database. A transaction writes each page that it touches to the log as a whole, and most
    /// of these pages hold little new: the table's root, the ledger, the list of free pages. A quarter of SQLite's own
    /// size halves the octets that a reading writes to the card (a hundred in a transaction: 340 octets → 153; five:
    /// 2,500 → 1,250).
    static let pageSize = 1024

    static func pageSize(of db: Database) throws -> Int {
        try Row.fetchOne(db, sql: "PRAGMA page_size")?.count(0) ?? pageSize
    }
}
