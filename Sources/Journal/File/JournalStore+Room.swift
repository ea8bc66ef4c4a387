// SPDX-License-Identifier: Apache-2.0

import GRDB
import Synchronization

extension JournalStore {
    /// The room that the next transaction may use on the disk. The call also tells SQLite the limit of its log.
    func room(halvings: Int) throws -> JournalRoom {
        guard let space = file.gauge.space(file.path) else { return .ample }
        return try pool.writeWithoutTransaction { db in
            let size = try Retention.pragma("page_count", in: db) * pageSize
            let room = JournalRoom(
                space, size: size, file: JournalFile.size(of: file.path), log: JournalFile.size(of: file.path + "-wal"),
                minimum: configuration.minimumFreeMegabytes << 20, halvings: halvings)
            let isNew = log.withLock { log in
                defer { log = room.log }
                return log != room.log
            }
            guard isNew else { return room }
            try db.execute(
                sql: """
                    PRAGMA wal_autocheckpoint = \(room.logPages(of: pageSize));
                    PRAGMA journal_size_limit = \(room.logLimit);
                    """)
            return room
        }
    }
}
