// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The journal's tables. A change is a new migration: journals in the field are never rebuilt.
enum JournalSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
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
        return migrator
    }
}
