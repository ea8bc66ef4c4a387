// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Logging
import Platform
import Readings
import Synchronization

/// Writes each reading to SQLite before anything else can happen to the reading, and keeps it until the broker has it.
///
/// Callers hand readings over without waiting for the disk; a queue of the journal's own writes them in groups. Rows
/// that the publisher settles are deleted in the next group's transaction. While the disk cannot be written, or the
/// file cannot be opened, readings wait in memory, as many as the configuration allows.
package final class Journal: Sendable {
    let configuration: JournalConfiguration
    let clock: BootClock
    let gauge: DiskGauge
    let folders: FolderOperations
    let logger: Logger
    let queue = DispatchQueue(label: "martlet.journal", qos: .utility)
    let state: Mutex<JournalState>
    let progress: JournalProgress
    /// Nil while the journal's folder cannot be written.
    let file: Mutex<JournalFile?>

    /// Throws only when another process has the journal. The log and the statistics report all other errors, and the
    /// journal tries again.
    ///
    /// - Parameter patience: How long to wait for the database, which is opened in any case; nil: as long as it takes.
    package init(
        _ configuration: JournalConfiguration, clock: BootClock, gauge: DiskGauge = .system,
        folders: FolderOperations = .system, patience: Duration? = nil, logger: Logger
    ) throws(JournalError) {
        self.configuration = configuration
        self.clock = clock
        self.gauge = gauge
        self.folders = folders
        self.logger = logger
        let progress = JournalProgress()
        self.progress = progress
        let taken = Result { () throws(JournalError) in
            try JournalFile(path: configuration.path, gauge: gauge, folders: folders, progress: progress)
        }
        if case .failure(let error) = taken, case .inUse = error { throw error }
        file = Mutex(try? taken.get())
        state = Mutex(
            JournalState(configuration))
        beginOpening(patience: patience)
    }

    // MARK: - Writing

    /// Takes readings over; never waits for the disk. Readings without room in the queue are dropped and counted: see
    /// ``waitForRoom(_:until:)``.
    package func append(_ readings: [Reading]) { append(readings, completion: nil) }

    /// Takes readings over, and commits at once. `done` is called once, on the journal's queue: true when the
    /// transaction with all of them is as durable as `durability` promises, false when a reading was dropped.
    package func append(_ readings: [Reading], whenDurable done: @escaping @Sendable (Bool) -> Void) {
        append(readings, completion: done)
    }

    private func append(_ readings: [Reading], completion: JournalState.Completion?) {
        guard !readings.isEmpty else {
            if let completion { queue.async { completion(true) } }
            return
        }
        let (dropped, notice) = state.withLock { state -> (Int, (message: Logger.Message, total: Int)?) in
            guard !state.life.isClosed else {
                state.batches.lose(readings[...], .closed)
                return (readings.count, nil)
            }
            let dropped = state.batches.add(readings, capacity: configuration.queueCapacity, completion: completion)
            scheduleCommit(&state)
            guard dropped > 0 else { return (0, nil) }
            let isDue = state.drops.dropped(dropped, at: clock.now())
            return (dropped, isDue ? (state.dropMessage, state.drops.total) : nil)
        }
        guard dropped > 0 else { return }
        if let completion { queue.async { completion(false) } }
        if let notice {
            logger.error(
                notice.message,
                metadata: ["journal.dropped": "\(notice.total)", "journal.path": "\(configuration.path)"])
        }
    }

    /// Counts values that were never received, by the sensor's own sequence.
    package func countGap(of device: String, missing: Int) {
        guard missing > 0 else { return }
        change { $0.gaps[device] = ($0.gaps[device] ?? 0).addingSaturated(missing) }
    }

    /// Commits waiting rows soon, before the interval is over.
    package func requestCommit() {
        state.withLock { state in
            guard !state.commits.isFailing, !state.life.isClosed else { return }
            keep(state.commits.hurry())
        }
    }

    /// Commits the waiting rows and closes the database. Later readings are dropped and counted.
    package func close() {
        state.withLock { $0.life.hurry() }
        queue.sync {
            guard !state.withLock({ $0.life.isClosed }) else { return }
            if state.withLock({ $0.life.beginClosing() }) { commitEverything() }
            let (store, left, lost, isMoreLost) = state.withLock { state in
                let left = state.batches.pending
                state.life.close()
                state.observer = nil
                return (state.database.store, left, state.batches.loseEverything(), state.drops.hasUnsaid)
            }
            for completion in lost.completions { completion(false) }
            if isMoreLost { sayHowManyWereDropped() }
            if !lost.losses.isEmpty { leave(lost.losses, waiting: left) }
            do {
                try store?.close()
            } catch {
                logger.warning("journal not closed cleanly", metadata: ["error": "\(error)"])
            }
            file.withLock { $0?.release() }
        }
    }

    func sayHowManyWereDropped() {
        logger.error(
            "readings were dropped, for which there was no room in memory",
            metadata: [
                "journal.dropped": "\(state.withLock { $0.drops.total })", "journal.path": "\(configuration.path)",
            ])
    }

    /// On a disk that is or was short of room, a single transaction does not take all waiting rows.
    private func commitEverything() {
        let deadline = clock.now() + Self.patienceOfStop
        repeat {
            commit()
        } while clock.now() < deadline
            && state.withLock { !$0.commits.isFailing && !$0.database.isDamaged && !$0.batches.waiting.isEmpty }
    }

    /// How long a stop waits even for transactions that succeed: the service manager waits no longer, either.
    private static let patienceOfStop: Duration = .seconds(8)

    /// Reports the lost readings, and notes them for the ledger of the next run.
    private func leave(_ losses: [DropReason: [String: Int]], waiting: Int) {
        let id = "\(clock.boot)-\(clock.uptimeMilliseconds())"
        let isAll = state.withLock { $0.life.hasInherited }
        let isNoted = file.withLock { $0 }?.leave(losses, id: id, isAll: isAll) ?? false
        logger.error(
            "readings lost: the last commit failed",
            metadata: [
                "journal.waiting": "\(waiting)", "journal.path": "\(configuration.path)",
                "journal.noted": isNoted ? "the next start counts them" : "no, nothing can be written there",
            ])
    }

    /// Changes the next transaction.
    func change(_ body: (inout JournalState.Batch) -> Void) {
        state.withLock { state in
            guard !state.life.isClosed else { return }
            state.batches.change(body)
            scheduleCommit(&state)
        }
    }

    // MARK: - Small facts

    /// The last value that ``setIdentifier(_:for:)`` stored.
    package func identifier(for key: String) -> String? { state.withLock { $0.identifiers[key] } }

    /// Stores a small fact beside the readings, with the next commit; an unchanged value changes nothing.
    package func setIdentifier(_ value: String, for key: String) {
        state.withLock { state in
            guard state.identifiers[key] != value, !state.life.isClosed else { return }
            state.identifiers[key] = value
            state.batches.change { $0.identifiers[key] = value }
            scheduleCommit(&state)
        }
    }

    /// Stores small facts with one commit: all of them, or none. An empty value stands for no fact.
    ///
    /// - Parameter done: Called once, on the journal's queue: true when the facts are on disk; false when the journal is closed.
    package func setIdentifiers(_ facts: [String: String], whenDurable done: (@Sendable (Bool) -> Void)? = nil) {
        let isTaken = state.withLock { state in
            guard !state.life.isClosed else { return false }
            let news = facts.filter { state.identifiers[$0.key] != $0.value }
            state.identifiers.merge(news) { $1 }
            state.batches.change { batch in
                batch.identifiers.merge(news) { $1 }
                if let done { batch.completions.append(done) }
            }
            scheduleCommit(&state)
            return true
        }
        if let done, !isTaken { queue.async { done(false) } }
    }
}
