// SPDX-License-Identifier: Apache-2.0

import GRDB
import Readings

/// The journal's tables. A change is a new migration: journals in the field are never rebuilt. ``SchemaCheck`` treats a
/// journal with other tables as damaged.
package enum JournalSchema {
    /// The number of the newest migration. Updates of the flashed image carry the number, as board/bundle.sh finds it
    /// here. An update whose journal an older version cannot read is not installed if the older version may have to run
    /// again.
    package static let version = 2

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", migrate: createTables)
        migrator.registerMigration("2", migrate: openLedger)
        return migrator
    }

    private static func createTables(_ db: Database) throws {
        // Devices and characteristics have names of many octets; rows carry their numbers.
        try db.execute(
            sql: """
                CREATE TABLE device (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
                CREATE TABLE characteristic (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
                CREATE TABLE boot (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, offset INTEGER);
                CREATE TABLE reading (
                    n INTEGER PRIMARY KEY AUTOINCREMENT,
                    device INTEGER NOT NULL,
                    characteristic INTEGER NOT NULL,
                    source INTEGER NOT NULL,
                    rssi INTEGER,
                    boot INTEGER NOT NULL,
                    up INTEGER NOT NULL,
                    ts INTEGER,
                    clock INTEGER NOT NULL,
                    value BLOB NOT NULL
                );
                CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE identifier (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
                """)
    }

    /// Replaces the ledger in total with a ledger by sensor. The figures of the sensors begin with the present rows.
    /// Earlier received, delivered and dropped readings belong to unknown sensors: device 0 keeps them, so that totals
    /// go on.
    private static func openLedger(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE ledger (
                    device INTEGER PRIMARY KEY,
                    received INTEGER NOT NULL DEFAULT 0,
                    delivered INTEGER NOT NULL DEFAULT 0,
                    missing INTEGER NOT NULL DEFAULT 0
                );
                CREATE TABLE loss (
                    device INTEGER NOT NULL,
                    reason TEXT NOT NULL,
                    count INTEGER NOT NULL,
                    PRIMARY KEY (device, reason)
                ) WITHOUT ROWID;
                INSERT INTO ledger (device, received) SELECT device, COUNT(*) FROM reading GROUP BY device;
                """)
        var totals: [String: Int] = [:]
        var isDamaged = false
        for row in try Row.fetchAll(db, sql: "SELECT name, value FROM counter") {
            guard let name = row.text(0), let value = row.count(1) else {
                isDamaged = true
                continue
            }
            totals[name] = value
        }
        var old = LedgerEntry()
        old.delivered = totals["delivered"] ?? 0
        old.missing = totals["missing"] ?? 0
        for (name, count) in totals where name.hasPrefix("dropped:") && count > 0 {
            old.dropped[String(name.dropFirst("dropped:".count))] = count
        }
        let rows = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM reading") ?? 0
        // A total that cannot be read begins again with the present rows. A total that does not add up is kept.
        old.received =
            isDamaged || totals["received"] == nil
            ? old.delivered &+ old.droppedTotal : (totals["received"] ?? 0) &- rows
        var changes = LedgerChanges()
        if old != LedgerEntry() { changes.entries[LedgerEntry.unattributed] = old }
        try changes.write(in: db)
        try db.execute(
            sql:
                "DELETE FROM counter WHERE name IN ('received', 'committed', 'delivered', 'missing') OR name LIKE 'dropped:%'"
        )
    }
}
