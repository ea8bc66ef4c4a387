// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Logging
import Synchronization

/// Writes readings to SQLite before anything else can happen to them, and keeps them until the broker has them.
///
/// Readings come in without waiting for the disk; a queue of the journal's own writes them in groups. Whatever the
/// publisher settles is deleted in the next group's transaction.
package final class Journal: Sendable {
    private struct State {
        var waiting: [Reading] = []
        /// Readings in the transaction that is being written.
        var committing = 0
        var acknowledged: [Int64] = []
        /// Row numbers in the transaction that is being written.
        var settling: [Int64] = []
        var identifiers: [String: String] = [:]
        var changedIdentifiers: [String: String] = [:]
        var offsets: [String: Int64] = [:]
        var books: JournalStatistics
        var schedule = Schedule.idle
        /// Which scheduled commit is the valid one; older ones do nothing.
        var generation = 0
        /// Failed commits in a row.
        var failures = 0
        var isClosed = false
        var observer: (@Sendable () -> Void)?
    }

    private enum Schedule { case idle, timed, immediate }

    private static let retryDelay: Duration = .milliseconds(500)
    private static let maximumRetryDelay: Duration = .seconds(30)

    private let configuration: JournalConfiguration
    private let logger: Logger
    private let store: JournalStore
    private let queue = DispatchQueue(label: "martlet.journal", qos: .utility)
    private let state: Mutex<State>

    package init(_ configuration: JournalConfiguration, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        store = try JournalStore(configuration)
        let opening = try store.opening()
        var books = JournalStatistics(path: configuration.path)
        books.received = opening.received
        books.committed = opening.committed
        books.delivered = opening.delivered
        books.dropped = opening.dropped
        books.buffered = opening.buffered
        if !opening.damage.isEmpty {
            // What the lost counters said is not known: the books begin again with what there is.
            books.received = books.delivered &+ books.buffered &+ books.dropped.values.reduce(0, &+)
            logger.error(
                "the journal is damaged: values in it are not what they should be and were left out, readings were not",
                metadata: [
                    "journal.path": "\(configuration.path)",
                    "journal.damage": "\(Set(opening.damage).sorted().prefix(20).joined(separator: ", "))",
                ])
        }
        state = Mutex(State(identifiers: opening.identifiers, books: books))
        if !books.balances {
            logger.error(
                "journal's counters do not match its rows",
                metadata: ["journal.path": "\(configuration.path)", "journal.rows": "\(books.buffered)"])
        }
    }

    // MARK: - Writing

    /// Takes readings over; never waits for the disk. What the queue has no room for is dropped and counted.
    package func append(_ readings: [Reading]) {
        guard !readings.isEmpty else { return }
        let (dropped, total) = state.withLock { state in
            state.books.received += readings.count
            guard !state.isClosed else {
                state.books.dropped["closed", default: 0] += readings.count
                return (0, 0)
            }
            let room = max(configuration.queueCapacity - state.waiting.count - state.committing, 0)
            state.waiting.append(contentsOf: readings.prefix(room))
            scheduleCommit(&state)
            let dropped = max(readings.count - room, 0)
            guard dropped > 0 else { return (0, 0) }
            state.books.dropped["queue-full", default: 0] += dropped
            return (dropped, state.books.dropped["queue-full", default: 0])
        }
        // The first drop and then each time the count has grown by a thousand.
        if dropped > 0, total == dropped || total / 1_000 != (total - dropped) / 1_000 {
            logger.error(
                "readings dropped: the disk does not keep up or cannot be written",
                metadata: ["journal.dropped": "\(total)", "journal.path": "\(configuration.path)"])
        }
    }

    /// Commits soon what waits, without its waiting out the interval.
    package func requestCommit() {
        state.withLock { state in
            guard state.failures == 0, !state.isClosed else { return }
            schedule(&state, .immediate, after: .zero)
        }
    }

    /// Commits what waits and closes the database. Readings that come later are dropped and counted.
    package func close() {
        queue.sync {
            guard !state.withLock({ $0.isClosed }) else { return }
            commit()
            let left = state.withLock { state in
                state.isClosed = true
                state.observer = nil
                return state.waiting.count
            }
            if left > 0 {
                logger.error("readings lost: the last commit failed", metadata: ["journal.waiting": "\(left)"])
            }
            do {
                try store.close()
            } catch {
                logger.warning("journal not closed cleanly", metadata: ["error": "\(error)"])
            }
        }
    }

    // MARK: - Small facts

    /// What ``setIdentifier(_:for:)`` stored last.
    package func identifier(for key: String) -> String? { state.withLock { $0.identifiers[key] } }

    /// Stores a small fact beside the readings, with the next commit; nil and the same value again change nothing.
    package func setIdentifier(_ value: String, for key: String) {
        state.withLock { state in
            guard state.identifiers[key] != value, !state.isClosed else { return }
            state.identifiers[key] = value
            state.changedIdentifiers[key] = value
            scheduleCommit(&state)
        }
    }

    // MARK: - The publisher's side

    /// Called after each commit that wrote readings, on the journal's queue.
    package func setCommitObserver(_ observer: (@Sendable () -> Void)?) {
        state.withLock { $0.observer = $0.isClosed ? nil : observer }
    }

    /// At most `limit` rows above `n` that the broker has not acknowledged, in order.
    package func rows(after n: Int64, limit: Int) throws -> [JournalRow] {
        // Taken before the rows are read: what is acknowledged stays in these lists until its deletion is on disk.
        let settled = state.withLock { state -> Set<Int64> in
            Set((state.settling + state.acknowledged).lazy.filter { $0 > n })
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

    // MARK: - Commits

    private func scheduleCommit(_ state: inout State) {
        guard state.failures == 0 else { return }  // the retry that is scheduled takes it along
        if state.waiting.count >= configuration.commitRows {
            schedule(&state, .immediate, after: .zero)
        } else if state.schedule == .idle {
            schedule(&state, .timed, after: configuration.commitInterval)
        }
    }

    private func schedule(_ state: inout State, _ kind: Schedule, after delay: Duration) {
        guard state.schedule != .immediate else { return }
        state.schedule = kind
        state.generation += 1
        let generation = state.generation
        let work: @Sendable () -> Void = { [weak self] in self?.scheduledCommit(generation) }
        if kind == .immediate {
            queue.async(execute: work)
        } else {
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.wholeNanoseconds)), execute: work)
        }
    }

    private func scheduledCommit(_ generation: Int) {
        guard state.withLock({ $0.generation == generation && !$0.isClosed }) else { return }
        commit()
    }

    /// One transaction with all that waits; runs on the journal's queue only.
    private func commit() {
        let (batch, buffered) = state.withLock { state in
            var batch = JournalStore.Batch()
            swap(&batch.readings, &state.waiting)
            swap(&batch.acknowledged, &state.acknowledged)
            batch.identifiers = state.changedIdentifiers
            batch.offsets = state.offsets
            batch.received = state.books.received
            batch.committed = state.books.committed
            batch.delivered = state.books.delivered
            batch.dropped = state.books.dropped
            state.changedIdentifiers = [:]
            state.offsets = [:]
            state.committing = batch.readings.count
            state.settling = batch.acknowledged
            state.schedule = .idle
            state.generation += 1
            return (batch, state.books.buffered)
        }
        do {
            succeeded(batch, try store.commit(batch, buffered: buffered))
        } catch {
            failed(batch, error)
        }
    }

    private func succeeded(_ batch: JournalStore.Batch, _ outcome: JournalStore.Outcome) {
        let (observer, recovered, evicted) = state.withLock { state in
            state.committing = 0
            state.settling = []
            state.books.committed += batch.readings.count
            state.books.delivered += outcome.delivered
            state.books.buffered += batch.readings.count - outcome.delivered - outcome.evicted
            if outcome.evicted > 0 {
                state.books.dropped[JournalStore.evictionReason, default: 0] += outcome.evicted
            }
            let recovered = state.failures > 0
            state.failures = 0
            if !state.waiting.isEmpty || !state.acknowledged.isEmpty { scheduleCommit(&state) }
            return (
                state.observer, recovered, outcome.evicted > 0 ? state.books.dropped[JournalStore.evictionReason] : nil
            )
        }
        if recovered { logger.notice("journal writes again", metadata: ["journal.path": "\(configuration.path)"]) }
        if let evicted, evicted == outcome.evicted || evicted / 10_000 != (evicted - outcome.evicted) / 10_000 {
            logger.error(
                "readings dropped: the journal holds its maximum", metadata: ["journal.dropped": "\(evicted)"])
        }
        if !batch.readings.isEmpty { observer?() }
    }

    /// Puts everything back as it was, and tries again later: the queue's bound limits what can gather meanwhile.
    private func failed(_ batch: JournalStore.Batch, _ error: any Error) {
        let (failures, waiting) = state.withLock { state in
            state.waiting = batch.readings + state.waiting
            state.acknowledged = batch.acknowledged + state.acknowledged
            state.changedIdentifiers.merge(batch.identifiers) { new, _ in new }
            state.offsets.merge(batch.offsets) { new, _ in new }
            state.committing = 0
            state.settling = []
            state.failures += 1
            let doubled = Self.retryDelay * (1 << min(state.failures - 1, 6))
            schedule(&state, .timed, after: min(doubled, Self.maximumRetryDelay))
            return (state.failures, state.waiting.count)
        }
        if failures == 1 || failures.isMultiple(of: 20) {
            logger.error(
                "journal cannot write; readings wait in memory",
                metadata: [
                    "journal.waiting": "\(waiting)", "journal.path": "\(configuration.path)",
                    "error": "\(JournalFile.explain(error, path: configuration.path))",
                ])
        }
    }
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
