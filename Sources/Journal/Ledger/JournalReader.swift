// SPDX-License-Identifier: Apache-2.0

import GRDB
import Glibc
import Readings

/// Reads a journal without changing it, even beside the gateway that writes the journal.
struct JournalReader {
    private static let portion = 4096

    private let path: String
    private let queue: DatabaseQueue

    init(path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw JournalError.failed(path: path, reason: String(cString: strerror(errno)))
        }
        // Opening a pipe would wait for a writer.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw JournalError.failed(path: path, reason: "it is no file")
        }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase(JournalFile.distrust)
        self.path = path
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try held { db in
            try SchemaCheck.run(db, path: path)
            let migrator = JournalSchema.migrator
            guard try db.tableExists("grdb_migrations") else {
                throw JournalError.failed(path: path, reason: "it is no journal")
            }
            guard try migrator.hasCompletedMigrations(db) else {
                throw JournalError.failed(
                    path: path, reason: "it is of an older version: start the gateway with it once")
            }
        }
    }

    /// The faults that SQLite finds in the file: only "ok" when there are none.
    ///
    /// While a gateway has the journal, its rows are read in portions. The log grows during a long read, and on a
    /// nearly full disk the gateway could then no longer write.
    func integrity() throws -> [String] {
        guard JournalHold.isHeld(path) else { return try check("") }
        var problems: [String] = []
        for table in ["device", "characteristic", "boot", "counter", "identifier", "ledger", "loss"] {
            problems += try check(table).filter { $0 != "ok" }
        }
        do {
            var cursor = Int64.min
            while let last = try held({ try JournalStore.rows(after: cursor, limit: Self.portion, in: $0) }).last {
                cursor = last.n
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            problems.append(error.message ?? "rows cannot be read")
        }
        return problems.isEmpty ? ["ok"] : problems
    }

    private func check(_ table: String) throws -> [String] {
        let argument = table.isEmpty ? "20" : table
        return try held { db in
            try Row.fetchAll(db, sql: "PRAGMA integrity_check(\(argument))").compactMap { $0.text(0) }
        }
    }

    /// All queries in `body` see one state of the file.
    func read<Value>(_ body: (Database, JournalNames) throws -> Value) throws -> Value {
        try held { try body($0, JournalNames($0)) }
    }

    /// Copies the whole file at one moment. `path` is a new file.
    func copy(to path: String) throws {
        let copy = try DatabaseQueue(path: path)
        defer { try? copy.close() }
        try queue.backup(to: copy)
    }

    private func held<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let limit = StepLimit(forFile: path)
        return try queue.read { db in try limit.hold(db) { try body(db) } }
    }
}
