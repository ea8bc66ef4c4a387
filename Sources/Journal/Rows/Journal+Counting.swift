// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
import Health
import Logging
import Platform
import Readings
import Synchronization

extension Journal {
    /// Pause between two portions: a starting gateway has more work.
    private static let pauseOfCount: Duration = .milliseconds(10)

    /// Continues the count that the opening began, until all rows are counted or the database is another one. Runs on
    /// the journal's queue only.
    func countOn(_ store: JournalStore) {
        guard state.withLock({ $0.database.isOpen(store) && !$0.life.isClosed && !$0.database.isDamaged }) else {
            return
        }
        do {
            if let result = try store.countOn() {
                // An observer that was told of no rows reads none: it needs a call.
                let observer = state.withLock { $0.books.counted(result.rows) ? $0.observer : nil }
                say(result)
                observer?()
            } else {
                queue.run(after: Self.pauseOfCount) { [weak self, weak store] in
                    if let store { self?.countOn(store) }
                }
            }
        } catch {
            let error = JournalFile.explain(error, path: configuration.path)
            guard case .corrupt = error else {
                // The ledger stands for the rows until the next start counts them.
                store.count.withLock { $0 = nil }
                return logger.warning(
                    "the journal's rows were not counted",
                    metadata: ["journal.path": "\(configuration.path)", "error": "\(error)"])
            }
            reportDamage(of: store)
        }
    }

    func say(_ result: RowCount.Result) {
        guard result.unbalanced > 0 else { return }
        logger.error(
            "journal's counters do not match its rows",
            metadata: [
                "journal.path": "\(configuration.path)", "journal.sensors": "\(result.unbalanced)",
                "do": "\(Advice.here("Run \(.martlet(.audit))"))",
            ])
    }
}

extension JournalStore {
    /// Counts a portion of the rows; returns the result after the last portion.
    func countOn() throws -> RowCount.Result? {
        guard var rows = count.withLock({ $0 }) else { return nil }
        return try pool.writeWithoutTransaction { db in
            try rows.goOn(in: db)
            let result = rows.isComplete ? rows.result(try LedgerPage(db)) : nil
            count.withLock { [rows] in $0 = rows.isComplete ? nil : rows }
            return result
        }
    }
}
