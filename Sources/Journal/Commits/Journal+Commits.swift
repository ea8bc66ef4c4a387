// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Logging
import Platform
import Readings
import Synchronization

extension Journal {
    /// Makes sure that waiting rows are committed in time. Called under the lock.
    func scheduleCommit(_ state: inout JournalState) {
        let waiting = state.batches.waitingCount
        keep(state.commits.record(waiting.readings, isAwaited: waiting.isAwaited, configuration, at: clock.now()))
    }

    /// Makes sure that a commit is made at an appointed time.
    func keep(_ appointment: CommitSchedule.Appointment?) {
        guard let appointment else { return }
        let work: @Sendable () -> Void = { [weak self] in self?.scheduledCommit(appointment.generation) }
        if appointment.kind == .immediate {
            queue.async(execute: work)
        } else {
            queue.run(after: appointment.delay, work)
        }
    }

    private func scheduledCommit(_ generation: Int) {
        guard state.withLock({ $0.commits.isValid(generation) && !$0.life.isClosed }) else { return }
        commit()
    }

    /// Makes one transaction with all waiting rows; runs on the journal's queue only. If the file turns out to be
    /// damaged, the file is put away, and the rows go into the fresh file.
    func commit() {
        if case .corrupt? = attempt(), case .corrupt? = attempt() { state.withLock { retry(&$0) } }
    }

    /// Reports a failure; schedules the next attempt unless the file is damaged.
    private func attempt() -> JournalError? {
        guard let store = openStore() else {
            state.withLock { state in
                state.commits.cannotBegin()
                retry(&state)
            }
            return nil
        }
        // If the query fails, the commit fails too, and reports the cause.
        let room = (try? store.room(halvings: state.withLock { $0.commits.fullDisks })) ?? .ample
        let (batch, buffered) = state.withLock { state in
            state.commits.begin(at: clock.now())
            return (state.batches.take(room), state.books.onDisk.buffered)
        }
        do {
            succeeded(batch, try store.commit(batch, buffered: buffered, room: room))
            say(room)
            return nil
        } catch {
            let error = JournalFile.explain(error, path: configuration.path)
            var isDamaged = false
            if case .corrupt = error { isDamaged = true }
            if case .full = error { state.withLock { $0.commits.foundDiskFull() } }
            // All rows go back. The queue's bound limits how many rows can gather until the next attempt.
            state.withLock { [isDamaged] state in
                state.batches.putBack()
                if isDamaged { state.database.foundDamaged() } else { retry(&state) }
            }
            report(error)
            return error
        }
    }

    private func succeeded(_ batch: JournalState.Batch, _ outcome: JournalStore.Outcome) {
        let (observer, recovered, books) = state.withLock { state in
            // Under one lock with the end of the transaction: no reader finds these rows in between.
            state.batches.wrote(rest: outcome.rest)
            state.callers.wrote(tookReadings: outcome.written > 0)
            state.books.add(outcome)
            let recovered = state.commits.succeeded(octets: outcome.octets, at: clock.now())
            if state.batches.isPortion || !outcome.rest.isEmpty {
                keep(state.commits.hurry())
            } else if !state.batches.waiting.isEmpty {
                scheduleCommit(&state)
            }
            if outcome.isBehind { keep(state.commits.goOn()) }
            return (state.observer, recovered, state.books.onDisk)
        }
        if state.withLock({ $0.drops.isOver(at: clock.now()) }) { sayHowManyWereDropped() }
        if recovered { logger.notice("journal writes again", metadata: ["journal.path": "\(configuration.path)"]) }
        for reason in [DropReason.journalFull, .journalSize, .journalAge] {
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

    /// Reports that the disk is short of room, and that the shortage is over.
    private func say(_ room: JournalRoom) {
        guard state.withLock({ $0.books.record(room) }) else { return }
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

    /// Tries again later; the wait grows with each failure. Called under the lock.
    func retry(_ state: inout JournalState) {
        let appointment = state.commits.failed()
        state.callers.wake()
        keep(appointment)
    }

    /// Reports a problem, at first and then from time to time.
    func report(_ error: JournalError) {
        let (failures, waiting, isNew) = state.withLock { state in
            (state.commits.failures, state.batches.pending, state.books.record(error))
        }
        guard isNew || failures.isMultiple(of: 20) else { return }
        logger.error(
            "journal cannot write; readings wait in memory",
            metadata: [
                "journal.waiting": "\(waiting)", "journal.path": "\(configuration.path)", "error": "\(error)",
            ])
    }
}
