// SPDX-License-Identifier: Apache-2.0

import GRDB
import Glibc

/// Reads a journal without changing it, also beside the gateway that writes it.
struct JournalReader {
    private let path: String
    private let queue: DatabaseQueue

    init(path: String) throws {
        guard access(path, F_OK) == 0 else {
            throw JournalError.failed(path: path, reason: String(cString: strerror(errno)))
        }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        self.path = path
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.read { db in
            let migrator = JournalSchema.migrator
            guard try db.tableExists("grdb_migrations") else {
                throw JournalError.failed(path: path, reason: "it is no journal")
            }
            if try migrator.hasBeenSuperseded(db) { throw JournalError.newer(path: path) }
            guard try migrator.hasCompletedMigrations(db) else {
                throw JournalError.failed(
                    path: path, reason: "it is of an older version: start the gateway with it once")
            }
        }
    }

    /// Everything in `body` sees the same state.
    func read<Value>(_ body: (Database, JournalNames) throws -> Value) throws -> Value {
        try queue.read { try body($0, JournalNames($0)) }
    }
}
