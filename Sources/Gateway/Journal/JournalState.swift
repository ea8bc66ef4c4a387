// SPDX-License-Identifier: Apache-2.0

/// Everything of a journal that is not on disk, under its lock.
struct JournalState {
    enum Schedule { case idle, timed, immediate }

    typealias Completion = @Sendable (Bool) -> Void

    var waiting: [Reading] = []
    /// Called when everything in `waiting` is on disk.
    var completions: [Completion] = []
    /// Readings in the transaction that is being written.
    var committing = 0
    var acknowledged: [Int64] = []
    /// Rows that the publisher has given up.
    var surrendered: [DropReason: [Int64]] = [:]
    /// Row numbers in the transaction that is being written.
    var settling: [Int64] = []
    /// What the sensors' own sequences miss, by device, since the last transaction.
    var gaps: [String: Int] = [:]
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

    /// Everything that waits, for one transaction.
    mutating func takeBatch() -> JournalStore.Batch {
        var batch = JournalStore.Batch()
        swap(&batch.readings, &waiting)
        swap(&batch.completions, &completions)
        swap(&batch.acknowledged, &acknowledged)
        swap(&batch.surrendered, &surrendered)
        swap(&batch.gaps, &gaps)
        swap(&batch.identifiers, &changedIdentifiers)
        swap(&batch.offsets, &offsets)
        batch.received = books.received
        batch.committed = books.committed
        batch.delivered = books.delivered
        batch.dropped = books.dropped
        batch.missing = books.missing
        committing = batch.readings.count
        settling = batch.acknowledged + batch.surrendered.values.joined()
        schedule = .idle
        generation += 1
        return batch
    }

    /// Puts everything back as it was.
    mutating func putBack(_ batch: JournalStore.Batch) {
        waiting = batch.readings + waiting
        completions = batch.completions + completions
        acknowledged = batch.acknowledged + acknowledged
        surrendered.merge(batch.surrendered) { $1 + $0 }
        gaps.merge(batch.gaps) { $0 &+ $1 }
        changedIdentifiers.merge(batch.identifiers) { new, _ in new }
        offsets.merge(batch.offsets) { new, _ in new }
        committing = 0
        settling = []
    }

    /// Nothing at all waits to be written.
    var isClean: Bool {
        waiting.isEmpty && acknowledged.isEmpty && surrendered.isEmpty && gaps.isEmpty && changedIdentifiers.isEmpty
            && offsets.isEmpty
    }
}
