// SPDX-License-Identifier: Apache-2.0

import Readings

/// What waits for a transaction and what is being written, in memory; a value.
///
/// Rows that are settled stay in it until their deletion is on disk.
struct BatchQueue {
    private(set) var waiting = JournalState.Batch()
    /// The transaction that is being written.
    private(set) var writing = JournalState.Batch()
    /// The last transaction had no room for all readings that waited.
    private(set) var isPortion = false

    /// Readings in memory.
    var pending: Int { waiting.readings.count + writing.readings.count }

    /// How many readings wait, and whether somebody waits for their being on disk.
    var waitingCount: (readings: Int, isAwaited: Bool) { (waiting.readings.count, !waiting.completions.isEmpty) }

    /// Rows that will be gone.
    var settled: RowSet {
        var settled = waiting.settled
        settled.formUnion(writing.settled)
        return settled
    }

    // MARK: - What comes

    /// Takes as many readings as there is room for.
    ///
    /// - Parameter completion: Called when all of them are on disk; left out where one is dropped.
    /// - Returns: How many of the last had no room; they are counted as lost.
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

    /// Adds something else to the next transaction.
    mutating func change(_ body: (inout JournalState.Batch) -> Void) { body(&waiting) }

    /// Counts readings given up before they were written.
    mutating func lose(_ readings: ArraySlice<Reading>, _ reason: DropReason) {
        for reading in readings { waiting.losses[reason, default: [:]][reading.device, default: 0] &+= 1 }
    }

    /// Losses that the books do not have yet.
    mutating func inherit(_ losses: [DropReason: [String: Int]]) {
        for (reason, devices) in losses { waiting.losses[reason, default: [:]].merge(devices) { $0 &+ $1 } }
    }

    // MARK: - Transactions

    /// What waits, for one transaction: everything, or not all of the readings where the disk has little room.
    mutating func take(_ room: JournalRoom = .ample) -> JournalState.Batch {
        writing = waiting
        waiting = JournalState.Batch()
        let count = room.count(of: writing.readings)
        isPortion = count < writing.readings.count
        if isPortion {
            waiting.readings = Array(writing.readings.dropFirst(count))
            writing.readings.removeSubrange(count...)
            // They are told when the last of the readings is durable.
            swap(&waiting.completions, &writing.completions)
        }
        return writing
    }

    /// The transaction is on disk, but for the rest.
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

    /// Gives up what waits: the gateway stops, and nothing can be written.
    ///
    /// - Returns: What was in no book by then, and who was to be told that it is on disk.
    mutating func loseEverything() -> (losses: [DropReason: [String: Int]], completions: [JournalState.Completion]) {
        let completions = waiting.completions
        waiting.completions = []
        lose(waiting.readings[...], .stopped)
        waiting.readings = []
        return (waiting.losses, completions)
    }
}
