// SPDX-License-Identifier: Apache-2.0

import GRDB

/// Keeps row numbers unique in a journal that does not wait for the disk.
///
/// A power cut takes the last transactions of such a journal, and with them the memory of their numbers. Rows that were
/// published with these numbers would share them with new rows. So the next opening continues with numbers far above.
enum RowNumbers {
    /// More rows than a power cut can take: SQLite syncs a log of 4 MB.
    static let leap: Int64 = 1_000_000
    static let key = "journal.durability"

    /// Called in a transaction that waits for the disk, before the first row is written.
    static func begin(_ durability: JournalConfiguration.Durability, in db: Database) throws {
        let last = try Row.fetchOne(db, sql: "SELECT value FROM identifier WHERE key = ?", arguments: [key])?.text(0)
        if last == JournalConfiguration.Durability.fast.rawValue {
            try db.execute(
                sql: """
                    INSERT INTO sqlite_sequence (name, seq)
                        SELECT 'reading', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'reading');
                    UPDATE sqlite_sequence SET seq = seq + \(leap)
                        WHERE name = 'reading' AND seq < \(Int64.max / 2);
                    """)
        }
        switch durability {
        case .fast:
            try db.execute(
                sql: "INSERT OR REPLACE INTO identifier (key, value) VALUES (?, ?)",
                arguments: [key, durability.rawValue])
        case .powerSafe: try end(in: db)
        }
    }

    /// Called last: once this transaction is on the disk, all earlier ones are, and no number is forgotten.
    static func end(in db: Database) throws {
        try db.execute(sql: "DELETE FROM identifier WHERE key = ?", arguments: [key])
    }
}
