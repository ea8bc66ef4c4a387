// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Logging
import Synchronization

extension Journal {
    private static let retryDelay: Duration = .milliseconds(500)
    private static let maximumRetryDelay: Duration = .seconds(30)

    /// Sees to it that what waits is committed in time. Called under the lock.
    func scheduleCommit(_ state: inout JournalState) {
        guard state.failures == 0 else { return }  // the retry that is scheduled takes it along
        if state.waiting.count >= configuration.commitRows || !state.completions.isEmpty {
            schedule(&state, .immediate, after: .zero)
        } else if state.schedule == .idle {
            schedule(&state, .timed, after: configuration.commitInterval)
        }
    }

    func schedule(_ state: inout JournalState, _ kind: JournalState.Schedule, after delay: Duration) {
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
    func commit() {
        let (batch, buffered) = state.withLock { ($0.takeBatch(), $0.books.buffered) }
        do {
            succeeded(batch, try store.commit(batch, buffered: buffered))
        } catch {
            failed(batch, error)
        }
    }

    private func succeeded(_ batch: JournalStore.Batch, _ outcome: JournalStore.Outcome) {
        let (observer, recovered, total) = state.withLock { state in
            state.committing = 0
            state.settling = []
            state.books.committed += batch.readings.count
            state.books.delivered += outcome.delivered
            state.books.buffered += batch.readings.count - outcome.deleted
            for (reason, count) in outcome.dropped { state.books.drop(count, reason) }
            let recovered = state.failures > 0
            state.failures = 0
            if !state.isClean { scheduleCommit(&state) }
            return (state.observer, recovered, state.books.dropped[DropReason.journalFull.rawValue] ?? 0)
        }
        if recovered { logger.notice("journal writes again", metadata: ["journal.path": "\(configuration.path)"]) }
        let evicted = outcome.dropped[.journalFull] ?? 0
        if evicted > 0, total == evicted || total / 10_000 != (total - evicted) / 10_000 {
            logger.error("readings dropped: the journal holds its maximum", metadata: ["journal.dropped": "\(total)"])
        }
        for completion in batch.completions { completion(true) }
        if !batch.readings.isEmpty { observer?() }
    }

    /// Puts everything back as it was, and tries again later: the queue's bound limits what can gather meanwhile.
    private func failed(_ batch: JournalStore.Batch, _ error: any Error) {
        let (failures, waiting) = state.withLock { state in
            state.putBack(batch)
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
