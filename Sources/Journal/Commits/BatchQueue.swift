// SPDX-License-Identifier: Apache-2.0

import Readings

/// The rows that wait for a transaction, and the rows of the transaction under way, in memory; a value.
///
/// Settled rows stay in the queue until their deletion is on disk.
struct BatchQueue {
    private(set) var waiting = JournalState.Batch()
    /// The transaction under way.
    private(set) var writing = JournalState.Batch()
    /// The last transaction had no room for all waiting readings.
    private(set) var isPortion = false

    /// Readings in memory.
    var pending: Int { waiting.readings.count + writing.readings.count }

    /// How many readings wait, and whether a caller waits until they are on disk.
    var waitingCount: (readings: Int, isAwaited: Bool) { (waiting.readings.count, !waiting.completions.isEmpty) }

    /// Rows whose deletion is not on disk yet.
    var settled: RowSet {
        var settled = waiting.settled
        settled.formUnion(writing.settled)
        return settled
    }

    // MARK: - Incoming

    /// Takes as many readings as there is room for.
    ///
    /// - Parameter completion: Called when all readings are on disk; left out if one is dropped.
    /// - Returns: How many of the last readings had no room; they are counted as lost.
    mutating func add(_ readings: [Reading], capacity: Int, completion: JournalState.Completion?) -> Int {
        let room = max(capacity - pending, 0)
        waiting.readings.append(contentsOf: readings.prefix(room))
        let dropped = max(readings.count - room, 0)
        guard dropped > 0 else {
            if let completion { waiting.completions.append(completion) }
            return 0
        }
        lose(readings.suffix(dropped), .queueFull)
        return dropped
    }

    /// Changes the next transaction.
    mutating func change(_ body: (inout JournalState.Batch) -> Void) { body(&waiting) }

    /// Counts readings given up before they were written.
    mutating func lose(_ readings: ArraySlice<Reading>, _ reason: DropReason) {
        for reading in readings { waiting.losses[reason, default: [:]][reading.device, default: 0] &+= 1 }
    }

    /// Takes over losses that the ledger does not have yet.
    mutating func inherit(_ losses: [DropReason: [String: Int]]) {
        for (reason, devices) in losses { waiting.losses[reason, default: [:]].merge(devices) { $0 &+ $1 } }
    }

    // MARK: - Transactions

    /// The next transaction: all waiting rows, or only some of the readings if the disk has little room.
    mutating func take(_ room: JournalRoom = .ample) -> JournalState.Batch {
        writing = waiting
        waiting = JournalState.Batch()
        let count = room.count(of: writing.readings)
        isPortion = count < writing.readings.count
        if isPortion {
            waiting.readings = Array(writing.readings.dropFirst(count))
            writing.readings.removeSubrange(count...)
            // These callers are told when the last of the readings is durable.
            swap(&waiting.completions, &writing.completions)
        }
        return writing
    }

    /// The transaction is on disk, except for the rest.
    mutating func wrote(rest: JournalState.Batch) {
        writing = JournalState.Batch()
        waiting.putBack(rest)
    }

    /// The transaction failed.
    mutating func putBack() {
        waiting.putBack(writing)
        writing = JournalState.Batch()
    }

    // MARK: - The end

    /// Gives up all waiting rows: the gateway stops, and nothing can be written.
    ///
    /// - Returns: The losses that are in no ledger yet, and the completions of the waiting callers.
    mutating func loseEverything() -> (losses: [DropReason: [String: Int]], completions: [JournalState.Completion]) {
        let completions = waiting.completions
        waiting.completions = []
        lose(waiting.readings[...], .stopped)
        waiting.readings = []
        return (waiting.losses, completions)
    }
}
