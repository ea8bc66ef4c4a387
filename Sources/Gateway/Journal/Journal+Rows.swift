// SPDX-License-Identifier: Apache-2.0

import Synchronization

// The publisher's side: rows in their order, and what became of them.

extension Journal {
    /// Called after each commit that wrote readings, on the journal's queue.
    package func setCommitObserver(_ observer: (@Sendable () -> Void)?) {
        state.withLock { $0.observer = $0.isClosed ? nil : observer }
    }

    /// At most `limit` rows above `n` that the broker has not acknowledged, in order.
    package func rows(after n: Int64, limit: Int) throws -> [JournalRow] {
        // Taken before the rows are read: what is acknowledged stays in these lists until its deletion is on disk.
        let settled = state.withLock { state -> Set<Int64> in
            var settled = Set(state.settling.lazy.filter { $0 > n })
            settled.formUnion(state.acknowledged.lazy.filter { $0 > n })
            for rows in state.surrendered.values { settled.formUnion(rows.lazy.filter { $0 > n }) }
            return settled
        }
        guard !settled.isEmpty else { return try store.rows(after: n, limit: limit) }
        var open: [JournalRow] = []
        var last = n
        while true {
            let rows = try store.rows(after: last, limit: limit)
            open.append(contentsOf: rows.lazy.filter { !settled.contains($0.n) }.prefix(limit - open.count))
            guard open.count < limit, rows.count == limit, let end = rows.last else { return open }
            last = end.n
        }
    }

    /// The broker has these rows: deletes them with the next commit.
    package func acknowledge(_ rows: [Int64]) {
        guard !rows.isEmpty else { return }
        state.withLock { state in
            guard !state.isClosed else { return }
            state.acknowledged.append(contentsOf: rows)
            scheduleCommit(&state)
        }
    }

    /// The publisher gives rows up: deleted with the next commit and counted as dropped with this reason.
    package func drop(_ rows: [Int64], reason: DropReason) {
        guard !rows.isEmpty else { return }
        state.withLock { state in
            guard !state.isClosed else { return }
            state.surrendered[reason, default: []].append(contentsOf: rows)
            scheduleCommit(&state)
        }
    }

    /// The row from which on all rows of `boot` are at least so young: their uptime is `milliseconds` or more. Nil when
    /// there is none. Reads backwards from the newest row, so that old rows cost nothing.
    package func firstRow(ofBoot boot: String, sinceUptime milliseconds: Int64) throws -> Int64? {
        try store.firstRow(ofBoot: boot, sinceUptime: milliseconds)
    }

    /// The wall clock of `boot` is known now: its readings without a time can be given one.
    package func setOffset(_ offset: Int64, ofBoot boot: String) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.offsets[boot] = offset
            scheduleCommit(&state)
        }
    }

    /// Readings that are not on disk yet.
    package var pendingCount: Int { state.withLock { $0.waiting.count + $0.committing } }

    /// The last commit failed; it is tried again.
    package var isFailing: Bool { state.withLock { $0.failures > 0 } }

    package func deviceName(_ id: Int64) throws -> String? { try store.device(id) }
    package func characteristicName(_ id: Int64) throws -> String? { try store.characteristic(id) }
    package func boots() throws -> [JournalBoot] { try store.boots() }
}

extension Journal {
    /// The books at this moment; reads one row and two file sizes.
    package var statistics: JournalStatistics {
        var books = state.withLock { state in
            var books = state.books
            books.waiting = state.waiting.count + state.committing
            return books
        }
        books.oldestAgeSeconds = books.buffered > 0 ? oldestAgeSeconds : nil
        books.bytes = store.bytes
        return books
    }

    private var oldestAgeSeconds: Double? {
        guard let row = try? rows(after: 0, limit: 1).first else { return nil }
        let boot = try? store.boots().first { $0.id == row.boot }?.name
        let milliseconds: Int64
        if boot == KernelClock.boot {
            milliseconds = KernelClock.uptimeMilliseconds().subtractingSaturated(row.uptimeMilliseconds)
        } else if let unix = row.unixMilliseconds {
            milliseconds = KernelClock.unixMilliseconds().subtractingSaturated(unix)
        } else {
            return nil
        }
        return Double(max(milliseconds, 0)) / 1_000
    }
}
