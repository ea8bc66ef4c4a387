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
    let configuration: JournalConfiguration
    let logger: Logger
    let store: JournalStore
    let queue = DispatchQueue(label: "martlet.journal", qos: .utility)
    let state: Mutex<JournalState>

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
        books.missing = opening.missing
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
        state = Mutex(JournalState(identifiers: opening.identifiers, books: books))
        if !books.balances {
            logger.error(
                "journal's counters do not match its rows",
                metadata: ["journal.path": "\(configuration.path)", "journal.rows": "\(books.buffered)"])
        }
    }

    // MARK: - Writing

    /// Takes readings over; never waits for the disk. What the queue has no room for is dropped and counted.
    package func append(_ readings: [Reading]) { take(readings, completion: nil) }

    /// The same, and a commit at once. `done` is called once, on the journal's queue: true when the transaction with
    /// all of them is as durable as `durability` promises, false when one of them was dropped instead.
    package func append(_ readings: [Reading], whenDurable done: @escaping @Sendable (Bool) -> Void) {
        take(readings, completion: done)
    }

    private func take(_ readings: [Reading], completion: JournalState.Completion?) {
        guard !readings.isEmpty else {
            if let completion { queue.async { completion(true) } }
            return
        }
        let (dropped, total, isClosed) = state.withLock { state -> (Int, Int, Bool) in
            state.books.received += readings.count
            guard !state.isClosed else {
                state.books.drop(readings.count, .closed)
                return (readings.count, 0, true)
            }
            let room = max(configuration.queueCapacity - state.waiting.count - state.committing, 0)
            state.waiting.append(contentsOf: readings.prefix(room))
            let dropped = max(readings.count - room, 0)
            if dropped == 0, let completion { state.completions.append(completion) }
            scheduleCommit(&state)
            guard dropped > 0 else { return (0, 0, false) }
            return (dropped, state.books.drop(dropped, .queueFull), false)
        }
        guard dropped > 0 else { return }
        if let completion { queue.async { completion(false) } }
        // The first drop and then each time the count has grown by a thousand.
        if !isClosed, total == dropped || total / 1_000 != (total - dropped) / 1_000 {
            logger.error(
                "readings dropped: the disk does not keep up or cannot be written",
                metadata: ["journal.dropped": "\(total)", "journal.path": "\(configuration.path)"])
        }
    }

    /// Values that a sensor's own sequence says were never received.
    package func countGap(of device: String, missing: Int) {
        guard missing > 0 else { return }
        state.withLock { state in
            guard !state.isClosed else { return }
            state.books.missing = state.books.missing.addingSaturated(missing)
            state.gaps[device] = (state.gaps[device] ?? 0).addingSaturated(missing)
            scheduleCommit(&state)
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
            let (left, completions) = state.withLock { state in
                state.isClosed = true
                state.observer = nil
                defer { state.completions = [] }
                return (state.waiting.count, state.completions)
            }
            for completion in completions { completion(false) }
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
}
