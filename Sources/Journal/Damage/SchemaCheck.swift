// SPDX-License-Identifier: Apache-2.0

import GRDB

/// Compares the tables of a journal with the tables of its migrations, before any query: a view in place of a table, or
/// a trigger, may never end, in the middle of any query.
enum SchemaCheck {
    private struct Object: Hashable {
        var type: String
        var name: String
        var table: String
        /// Without the parts that SQL may write in several ways.
        var sql: String
    }

    /// The tables with an index: a damaged table and its index may hold different values.
    private static let indexed = ["device", "characteristic", "boot", "grdb_migrations"]

    /// Throws when a newer version has written the file, and when its tables are not as they should be. A file without
    /// tables is a journal whose making was interrupted.
    static func run(_ db: Database, path: String) throws {
        let found = try objects(in: db)
        guard !found.isEmpty else { return }
        let migrator = JournalSchema.migrator
        let all = try objects(ofMigrationsUpTo: nil)
        let begun = all.filter { $0.table == "grdb_migrations" }
        let foundBegun = found.filter { $0.table == "grdb_migrations" }
        guard foundBegun == begun else { throw difference(begun, foundBegun, path) }
        // From here on the table of migrations can be queried.
        if try migrator.hasBeenSuperseded(db) { throw JournalError.newer(path: path) }
        let last = try migrator.completedMigrations(db).last
        let sound = last == migrator.migrations.last ? all : try last.map { try objects(ofMigrationsUpTo: $0) } ?? begun
        guard found == sound else { throw difference(sound, found, path) }
        for table in indexed where sound.contains(where: { $0.name == table }) {
            let lines = try Row.fetchAll(db, sql: "PRAGMA integrity_check(\(table))").compactMap { $0.text(0) }
            guard lines == ["ok"] else {
                throw JournalError.corrupt(path: path, reason: lines.first ?? "the table \(table) cannot be read")
            }
        }
    }

    /// The objects that the migrations make, all or up to one migration.
    private static func objects(ofMigrationsUpTo migration: String?) throws -> Set<Object> {
        let queue = try DatabaseQueue()
        defer { try? queue.close() }
        if let migration {
            try JournalSchema.migrator.migrate(queue, upTo: migration)
        } else {
            try JournalSchema.migrator.migrate(queue)
        }
        return try queue.read { try objects(in: $0) }
    }

    private static func objects(in db: Database) throws -> Set<Object> {
        // SQLite's notes for its planner are no table of the journal. Other objects may have such names as well.
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT type, name, tbl_name, sql FROM sqlite_master
                WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat3', 'sqlite_stat4'))
                """)
        return Set(
            rows.map { row in
                Object(
                    type: row.text(0) ?? "", name: row.text(1) ?? "", table: row.text(2) ?? "",
                    sql: (row.text(3) ?? "").lowercased().filter { !$0.isWhitespace && !"\"`'[]".contains($0) })
            })
    }

    private static func difference(_ sound: Set<Object>, _ found: Set<Object>, _ path: String) -> JournalError {
        func names(_ objects: Set<Object>) -> String {
            objects.map { "\($0.type) \($0.name)" }.sorted().prefix(5).joined(separator: ", ")
        }
        let (missing, strange) = (sound.subtracting(found), found.subtracting(sound))
        var parts: [String] = []
        if !missing.isEmpty { parts.append("missing: \(names(missing))") }
        if !strange.isEmpty { parts.append("strange: \(names(strange))") }
        return .corrupt(path: path, reason: "its tables are not those of a journal; \(parts.joined(separator: "; "))")
    }
}
