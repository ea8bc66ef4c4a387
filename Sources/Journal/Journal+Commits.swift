// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Logging
import Platform
import Readings
import Synchronization

extension Journal {
    private static let retryDelay: Duration = .milliseconds(500)
    private static let portionDelay: Duration = .milliseconds(200)
    private static let maximumRetryDelay: Duration = .seconds(10)

    /// Sees to it that what waits is committed in time. Called under the lock.
    func scheduleCommit(_ state: inout JournalState) {
        guard state.failures == 0 else { return }  // the retry that is scheduled takes it along
        // What waits for the sake of others never fills the queue, and nobody who asked waits for it.
        var rows = configuration.commitRows
        let mostRows = max(rows, configuration.queueCapacity / 2)
        var interval = configuration.commitInterval
        if state.budget.isLimited {
            let now = MonotonicTime.now
            interval = state.budget.interval(interval, at: now)
            if state.budget.isOverdrawn(at: now) { rows = mostRows }
        }
        let count = state.waiting.readings.count
        if count >= mostRows || !state.waiting.completions.isEmpty {
            schedule(&state, .immediate, after: .zero)
        } else if count >= rows {
            guard state.schedule < .soon else { return }
            let wait = state.wait(at: .now)
            schedule(&state, wait > .zero ? .soon : .immediate, after: wait)
        } else if state.schedule == .idle {
            schedule(&state, .timed, after: interval)
        }
    }

    func schedule(_ state: inout JournalState, _ kind: JournalState.Schedule, after delay: Duration) {
        guard state.schedule < .immediate else { return }
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

    /// One transaction with all that waits; runs on the journal's queue only. A file that turns out to be damaged is put
    /// away, and what waits comes into the fresh one.
    func commit() {
        if case .corrupt? = attempt(), case .corrupt? = attempt() { state.withLock { retry(&$0) } }
    }

    /// Says what went wrong; schedules the next attempt unless the file is damaged.
    private func attempt() -> JournalError? {
        guard let store = openStore() else {
            state.withLock { state in
                state.schedule = .idle
                retry(&state)
            }
            return nil
        }
        // A journal that cannot be asked cannot be written either, and the commit says why.
        let room = (try? store.room(halvings: state.withLock { $0.fullDisks })) ?? .ample
        let (batch, buffered) = state.withLock { state in
            state.lastCommit = .now
            return (state.takeBatch(room), state.books.buffered)
        }
        do {
            succeeded(batch, try store.commit(batch, buffered: buffered, room: room))
            say(room)
            return nil
        } catch {
            let error = JournalFile.explain(error, path: configuration.path)
            var isDamaged = false
            if case .corrupt = error { isDamaged = true }
            if case .full = error { state.withLock { $0.fullDisks += 1 } }
            // Everything as it was: the queue's bound limits what can gather until the next attempt.
            state.withLock { [isDamaged] state in
                state.putBack()
                if isDamaged { state.isDamaged = true } else { retry(&state) }
            }
            report(error)
            return error
        }
    }

    private func succeeded(_ batch: JournalState.Batch, _ outcome: JournalStore.Outcome) {
        let (observer, recovered, books) = state.withLock { state in
            // Under one lock with the end of the writing: no reader finds these rows in between.
            state.writing = JournalState.Batch()
            state.waiting.putBack(outcome.rest)
            if outcome.written > 0 { state.fullSince = nil }
            state.wakeWaiters()
            state.books.add(outcome)
            state.written &+= outcome.octets
            state.budget.wrote(outcome.octets, at: .now)
            let recovered = state.failures > 0
            state.failures = 0
            state.fullDisks = 0
            state.problem = nil
            if state.isPortion || !outcome.rest.isEmpty {
                schedule(&state, .immediate, after: .zero)
            } else if !state.waiting.isEmpty {
                scheduleCommit(&state)
            }
            // What is too much goes in portions, also while nothing comes in.
            if outcome.isBehind, state.schedule == .idle { schedule(&state, .timed, after: Self.portionDelay) }
            return (state.observer, recovered, state.books)
        }
        if state.withLock({ $0.dropNotice.isOver(at: .now) }) { sayHowManyWereDropped() }
        if recovered { logger.notice("journal writes again", metadata: ["journal.path": "\(configuration.path)"]) }
        for reason in [DropReason.journalFull, .journalSize, .journalAge, .thinned] {
            guard let count = outcome.changes.dropped[reason.rawValue], count > 0 else { continue }
            let total = books.dropped[reason.rawValue] ?? 0
            guard total == count || total / 10_000 != (total - count) / 10_000 else { continue }
            logger.error(
                "readings dropped: the journal keeps no more, or none so old",
                metadata: ["journal.reason": "\(reason.rawValue)", "journal.dropped": "\(total)"])
        }
        if batch.identifiers[LossRecord.key] != nil { file.withLock { $0?.forgetLosses() } }
        guard outcome.written > 0 || batch.readings.isEmpty else { return }
        for completion in batch.completions { completion(true) }
        if !batch.readings.isEmpty { observer?() }
    }

    /// Says that the disk is short of room, and that it is no longer.
    private func say(_ room: JournalRoom) {
        let isChanged = state.withLock { state in
            // What there is goes up and down with the log.
            let isShort = state.isShort ? room.free < 2 * room.reserve : room.isShort
            defer { state.isShort = isShort }
            return state.isShort != isShort
        }
        guard isChanged else { return }
        let metadata: Logger.Metadata = [
            "journal.path": "\(configuration.path)", "disk.free_kib": "\(room.free >> 10)",
            "disk.kept_free_kib": "\(room.reserve >> 10)",
        ]
        if room.isShort {
            logger.warning("\(JournalStatistics.shortOfRoom)", metadata: metadata)
        } else {
            logger.notice("the journal's disk has room again", metadata: metadata)
        }
    }

    /// Tries again later, each time a longer while. Called under the lock.
    func retry(_ state: inout JournalState) {
        state.failures += 1
        state.wakeWaiters()
        let doubled = Self.retryDelay * (1 << min(state.failures - 1, 5))
        schedule(&state, .timed, after: min(doubled, Self.maximumRetryDelay))
    }

    /// Says what is wrong, the first time and then from time to time.
    func report(_ error: JournalError) {
        let (failures, waiting, isNew) = state.withLock { state in
            defer { state.problem = "\(error)" }
            return (state.failures, state.pending, state.problem != "\(error)")
        }
        guard isNew || failures.isMultiple(of: 20) else { return }
        logger.error(
            "journal cannot write; readings wait in memory",
            metadata: [
                "journal.waiting": "\(waiting)", "journal.path": "\(configuration.path)", "error": "\(error)",
            ])
    }
}
