// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
import Logging
import Readings
import Synchronization

extension Journal {
    /// The gain that makes a compaction worth its cost, and the cost's limit.
    struct CompactionLimits {
        /// Octets in the file that have to be free, at least.
        var gain: Int64 = 8 << 20
        /// Octets in use, at most: they are written twice, and held in memory meanwhile.
        var rest: Int64 = 8 << 20
    }

    /// Returns disk space that an outage has taken: the file does not shrink by itself. Only a nearly empty file is
    /// written anew, in one transaction; nil when the disk cannot be written.
    package func compact() -> BufferCompaction? { compact(CompactionLimits()) }

    func compact(_ limits: CompactionLimits) -> BufferCompaction? {
        queue.sync {
            guard !state.withLock({ $0.life.isClosed }), let store = openStore() else { return nil }
            do {
                return try store.compact(limits)
            } catch {
                notCompacted(JournalFile.explain(error, path: configuration.path))
                return nil
            }
        }
    }

    /// The file is unchanged, and readings are still written, unless the file is damaged.
    private func notCompacted(_ error: JournalError) {
        logger.warning(
            "journal not compacted", metadata: ["journal.path": "\(configuration.path)", "error": "\(error)"])
        guard case .corrupt = error else { return }
        state.withLock { $0.database.foundDamaged() }
        commit()
    }
}

extension JournalStore {
    func compact(_ limits: Journal.CompactionLimits) throws -> BufferCompaction {
        let room = try room(halvings: 0)
        return try writing { db in
            let (before, free) = try Self.size(in: db)
            var compaction = BufferCompaction(before: before, after: before)
            if free < limits.gain {
                compaction.reason = "there is little to gain: \(free >> 20) MiB of \(before >> 20) MiB are free"
            } else if before - free > limits.rest {
                compaction.reason =
                    "too much is in use, \((before - free) >> 20) MiB: what is free is used again before the file grows"
            } else if Int64(clamping: room.free) < 2 * (before - free) + Int64(clamping: room.reserve) {
                compaction.reason = "its disk has too little room: \(max(room.free, 0) >> 20) MiB"
            } else {
                file.progress.step()
                try db.execute(sql: "VACUUM")
                file.progress.step()
                // The smaller file is in the log first. If a reader holds the checkpoint up, a later checkpoint will
                // do.
                _ = try? db.checkpoint(.truncate)
                file.progress.step()
                compaction.after = try Self.size(in: db).total
            }
            return compaction
        }
    }

    /// Octets of the database, and how many of them are free.
    private static func size(in db: Database) throws -> (total: Int64, free: Int64) {
        func pragma(_ name: String) throws -> Int64 {
            try Row.fetchOne(db, sql: "PRAGMA " + name)?.integer(0) ?? 0
        }
        let page = try pragma("page_size")
        return (try pragma("page_count") &* page, try pragma("freelist_count") &* page)
    }
}
