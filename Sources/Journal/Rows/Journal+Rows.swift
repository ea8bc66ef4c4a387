// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GRDB
import Readings
import Synchronization

// The publisher's side: rows in their order, and their fate.

extension Journal {
    /// Called after each commit that wrote readings, on the journal's queue.
    package func setCommitObserver(_ observer: (@Sendable () -> Void)?) {
        state.withLock { $0.observer = $0.life.isClosed ? nil : observer }
    }

    /// At most `limit` rows above `n` that are not settled, in order.
    package func rows(after n: Int64, limit: Int) throws -> [JournalRow] {
        // Taken before the rows are read: settled rows stay in these sets until their deletion is on disk.
        let settled = state.withLock { $0.batches.settled }
        guard !settled.isEmpty else { return try read([]) { try $0.rows(after: n, limit: limit) } }
        var open: [JournalRow] = []
        var last = n
        while true {
            while let end = settled.end(ofRunWith: last.addingSaturated(1)), end > last { last = end }
            let rows = try read([]) { [last] in try $0.rows(after: last, limit: limit) }
            open.append(contentsOf: rows.lazy.filter { !settled.contains($0.n) }.prefix(limit - open.count))
            guard open.count < limit, rows.count == limit, let end = rows.last else { return open }
            last = end.n
        }
    }

    /// Deletes rows with the next commit: the broker has them.
    package func acknowledge(_ rows: [Int64]) {
        guard !rows.isEmpty else { return }
        change { batch in
            for row in rows { batch.acknowledged.insert(row...row) }
        }
    }

    /// Gives rows up: the next commit deletes them and counts them as dropped for this reason.
    package func drop(_ rows: [Int64], reason: DropReason) {
        guard !rows.isEmpty else { return }
        change { batch in
            for row in rows { batch.surrendered[reason, default: RowSet()].insert(row...row) }
        }
    }

    /// The row from which on all rows of `boot` have an uptime of `milliseconds` or more. Nil when there is no such
    /// row. Reads backwards from the newest row, so that old rows cost nothing.
    package func firstRow(ofBoot boot: String, sinceUptime milliseconds: Int64) throws -> Int64? {
        try read(nil) { try $0.firstRow(ofBoot: boot, sinceUptime: milliseconds) }
    }

    /// The wall clock of `boot` is known now: its readings without a time get their times.
    package func setOffset(_ offset: Int64, ofBoot boot: String) { change { $0.offsets[boot] = offset } }

    /// Readings that are not on disk yet.
    package var pendingCount: Int { state.withLock { $0.batches.pending } }

    /// The last commit failed, and will be tried again.
    package var isFailing: Bool { state.withLock { $0.commits.isFailing } }

    package func deviceName(_ id: Int64) throws -> String? { try read(nil) { try $0.device(id) } }
    package func characteristicName(_ id: Int64) throws -> String? { try read(nil) { try $0.characteristic(id) } }
    package func boots() throws -> [JournalBoot] { try read([]) { try $0.boots() } }

    /// Reads the database if it is open. The next commit handles any damage.
    func read<Value>(_ nothing: Value, _ body: (JournalStore) throws -> Value) throws -> Value {
        while let store = state.withLock({ $0.database.store }) {
            do {
                return try body(store)
            } catch JournalError.closed where state.withLock({ !$0.database.isOpen(store) }) {
                continue  // damaged or replaced: read the next database as soon as it is open
            } catch {
                if case .corrupt = JournalFile.explain(error, path: configuration.path) { reportDamage(of: store) }
                throw error
            }
        }
        return nothing
    }

    func reportDamage(of store: JournalStore) {
        state.withLock { state in
            guard !state.life.isClosed, !state.database.isDamaged, state.database.isOpen(store) else { return }
            state.database.foundDamaged()
            keep(state.commits.hurry())
        }
    }
}

extension Journal {
    /// The statistics at this moment; reads one row and two file sizes.
    package var statistics: JournalStatistics {
        var (books, store) = state.withLock { ($0.books.current(with: $0.batches), $0.database.store) }
        books.oldestAgeSeconds = books.buffered > 0 ? oldestAgeSeconds : nil
        books.bytes = store?.bytes ?? 0
        return books
    }

    private var oldestAgeSeconds: Double? {
        guard let row = try? rows(after: 0, limit: 1).first else { return nil }
        return JournalStatistics.ageSeconds(of: row, boot: try? boots().first { $0.id == row.boot }?.name, clock)
    }
}
