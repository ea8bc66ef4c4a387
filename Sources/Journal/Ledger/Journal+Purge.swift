// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Readings
import Synchronization

extension Journal {
    /// Gives up every row on disk, counts the rows as ``DropReason/purged``, and returns their number; nil when the
    /// disk cannot be written. Waits for the transaction.
    package func purge() -> Int? {
        queue.sync {
            guard !state.withLock({ $0.life.isClosed }), let store = openStore() else { return nil }
            let last = store.greatest.withLock { $0 }
            guard last > 0 else { return 0 }
            let before = state.withLock { $0.books.onDisk.dropped[DropReason.purged.rawValue] ?? 0 }
            change { $0.surrendered[.purged, default: RowSet()].insert(1...last) }
            // On a disk with little room the rows go in portions.
            repeat {
                commit()
            } while state.withLock {
                !$0.commits.isFailing && !$0.database.isDamaged && $0.batches.waiting.surrendered[.purged] != nil
            }
            return state.withLock { state in
                guard !state.commits.isFailing, !state.life.isClosed, !state.database.isDamaged else { return nil }
                return (state.books.onDisk.dropped[DropReason.purged.rawValue] ?? 0) - before
            }
        }
    }
}
