// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Readings

/// Files that are valid for SQLite, and are no journals.
@Suite("Tables of a journal")
struct SchemaTests {
    private static let endless = "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x)"
    private let scene: JournalScene

    init() throws { scene = try JournalScene() }

    @Test(
        "tables unlike a journal's are put away before any query, and rows are salvaged",
        arguments: [
            ("DROP TABLE loss", "missing: table loss", 90),
            ("DROP TABLE reading", "missing: table reading", 0),
            (
                "DROP TABLE grdb_migrations",
                "missing: index sqlite_autoindex_grdb_migrations_1, table grdb_migrations", 90
            ),
            (
                "DROP TABLE reading; CREATE VIEW reading AS \(endless) SELECT n, 1 AS device, 1 AS characteristic, "
                    + "0 AS source, 0 AS rssi, 1 AS boot, 0 AS up, 0 AS ts, 0 AS clock, x'00' AS value FROM x",
                "strange: view reading", 0
            ),
            (
                "DROP TABLE ledger; CREATE VIEW ledger AS \(endless) SELECT n AS device, n AS received, 0 AS delivered, "
                    + "0 AS missing FROM x", "strange: view ledger", 90
            ),
            (
                "DROP TABLE grdb_migrations; CREATE VIEW grdb_migrations AS \(endless) SELECT n AS identifier FROM x",
                "view grdb_migrations", 90
            ),
            (
                "CREATE TRIGGER t AFTER INSERT ON reading BEGIN INSERT INTO counter "
                    + "SELECT 'x', COUNT(*) FROM (\(endless) SELECT n FROM x); END", "strange: trigger t", 90
            ),
            ("CREATE TRIGGER t AFTER DELETE ON reading BEGIN DELETE FROM reading; END", "strange: trigger t", 90),
            (
                "CREATE TRIGGER t AFTER INSERT ON reading BEGIN INSERT INTO counter "
                    + "SELECT 'x', COUNT(*) FROM (\(endless) SELECT n FROM x); END; PRAGMA writable_schema = ON; "
                    + "UPDATE sqlite_master SET name = 'sqlite_stat_t', sql = replace(sql, 'TRIGGER t', "
                    + "'TRIGGER sqlite_stat_t') WHERE name = 't'", "strange: trigger sqlite_stat_t", 90
            ),
            ("CREATE TABLE other (x)", "strange: table other", 90),
            ("CREATE INDEX i ON reading (device)", "strange: index i", 90),
            ("ALTER TABLE boot ADD COLUMN x", "table boot", 90),
            (
                "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master "
                    + "WHERE name = 'sqlite_autoindex_boot_1') WHERE name = 'sqlite_autoindex_device_1'", "index", 90
            ),
        ])
    func strange(_ sql: String, _ reason: String, _ kept: Int) throws {
        try scene.fill(100)
        try scene.execute(sql)
        let audit = #expect(throws: JournalError.self) { try scene.prove() }
        #expect(audit?.description.contains(reason) == true, "\(audit?.description ?? "")")
        #expect(throws: JournalError.self) { try JournalPages(path: scene.path).readToEnd() }

        let journal = try scene.open()
        let rows = try journal.rows(after: 0, limit: 1_000)
        #expect(rows.count == kept)
        #expect(try rows.allSatisfy { try journal.deviceName($0.device) == ["a", "b", "c"][Int($0.n - 1) % 3] })
        #expect(journal.statistics.problem == nil)
        #expect(journal.statistics.balances)
        journal.append([Sample.temperature(1)])
        journal.commitNow()
        #expect(try journal.rows(after: 100, limit: 10).count == 1, "numbers go on")
        journal.close()
        #expect(scene.log.text.contains("a fresh one was begun"))
        #expect(try scene.quarantined().contains("journal.db.1"))
        #expect(try scene.prove().balances)
    }

    @Test("a journal unchanged since its migrations stays, whatever notes SQLite's planner has added")
    func sound() throws {
        try scene.fill(100)
        try scene.execute("ANALYZE")
        let journal = try scene.open()
        #expect(journal.statistics.buffered == 90)
        journal.close()
        #expect(try scene.quarantined().isEmpty)
        #expect(try scene.prove().balances)
    }

    @Test("a version's own tables may be written in any way")
    func spelling() throws {
        try scene.fill(10)
        try scene.execute(
            """
            DROP TABLE counter;
            create table "counter"(name TEXT  PRIMARY KEY,value INTEGER NOT NULL)  WITHOUT ROWID
            """)
        let journal = try scene.open()
        journal.close()
        #expect(try scene.quarantined().isEmpty)
    }

    @Test("an endless query is ended, and a finite query is not")
    func limit() throws {
        let queue = try DatabaseQueue()
        let limit = StepLimit(octets: 0)
        let error = #expect(throws: DatabaseError.self) {
            try queue.read { db in
                try limit.hold(db) { try Int.fetchOne(db, sql: "\(Self.endless) SELECT MAX(n) FROM x") }
            }
        }
        #expect(error?.resultCode == .SQLITE_CORRUPT)
        let count = try queue.read { db in
            try limit.hold(db) { try Int.fetchOne(db, sql: "\(Self.endless) SELECT n FROM x LIMIT 1 OFFSET 99999") }
        }
        #expect(count == 100_000)
        #expect(try queue.read { try Int.fetchOne($0, sql: "\(Self.endless) SELECT n FROM x LIMIT 1 OFFSET 9") } == 10)
    }

    @Test("no connection trusts a file's schema, nor the lengths in its pages")
    func distrust() throws {
        try scene.fill(10)
        let journal = try scene.open()
        func settings(_ db: Database) throws -> [Int?] {
            try ["trusted_schema", "cell_size_check"].map { try Int.fetchOne(db, sql: "PRAGMA \($0)") }
        }
        let pool = try #require(journal.state.withLock { $0.database.store }?.pool)
        #expect(try pool.read(settings) == [0, 1])
        #expect(try pool.writeWithoutTransaction(settings) == [0, 1])
        #expect(try JournalReader(path: scene.path).read { db, _ in try settings(db) } == [0, 1])
        journal.close()
    }
}
