// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Logging
import Readings

/// Everything of a journal that is not on disk, under its lock.
struct JournalState {
    /// When the next transaction is made, the later first.
    enum Schedule: Comparable { case idle, timed, soon, immediate }

    typealias Completion = @Sendable (Bool) -> Void

    /// What the next transaction is to do. A transaction that failed puts it back as it was.
    struct Batch: Sendable {
        var readings: [Reading] = []
        /// Called when the readings are on disk.
        var completions: [Completion] = []
        /// Rows that the broker has acknowledged.
        var acknowledged = RowSet()
        /// Rows that the publisher has given up.
        var surrendered: [DropReason: RowSet] = [:]
        /// Readings given up before they were written, by device.
        var losses: [DropReason: [String: Int]] = [:]
        /// What the sensors' own sequences miss, by device.
        var gaps: [String: Int] = [:]
        var identifiers: [String: String] = [:]
        /// Unix time minus uptime of boots whose clock became right.
        var offsets: [String: Int64] = [:]

        var isEmpty: Bool {
            readings.isEmpty && acknowledged.isEmpty && surrendered.isEmpty && losses.isEmpty && gaps.isEmpty
                && identifiers.isEmpty && offsets.isEmpty
        }

        /// Rows that will be gone.
        var settled: RowSet {
            var settled = acknowledged
            for rows in surrendered.values { settled.formUnion(rows) }
            return settled
        }

        /// Puts what failed before what has come since.
        mutating func putBack(_ failed: Batch) {
            readings = failed.readings + readings
            completions = failed.completions + completions
            acknowledged.formUnion(failed.acknowledged)
            for (reason, rows) in failed.surrendered { surrendered[reason, default: RowSet()].formUnion(rows) }
            for (reason, devices) in failed.losses { losses[reason, default: [:]].merge(devices) { $0 &+ $1 } }
            gaps.merge(failed.gaps) { $0.addingSaturated($1) }
            identifiers.merge(failed.identifiers) { new, _ in new }
            offsets.merge(failed.offsets) { new, _ in new }
        }
    }

    /// Nil while the database cannot be opened: readings wait in memory then.
    var store: JournalStore?
    /// What the database that was open before is known to have held, while none is.
    var memory: JournalStore.Memory?
    var waiting = Batch()
    /// The transaction that is being written.
    var writing = Batch()
    var identifiers: [String: String] = [:]
    /// The books as they are on disk; what waits comes on top.
    var books: JournalStatistics
    var budget: WriteBudget
    /// Octets.
    var written: Int64 = 0
    var schedule = Schedule.idle
    /// When the last transaction was begun.
    var lastCommit: MonotonicTime?
    /// Which scheduled commit is the valid one; older ones do nothing.
    var generation = 0
    /// Failed commits in a row.
    var failures = 0
    /// Of these, those for which the disk was full.
    var fullDisks = 0
    /// The last transaction had no room for all readings that waited.
    var isPortion = false
    /// The disk is short of room, as the log has said.
    var isShort = false
    /// Readings that found no room since the journal was opened.
    var lost = 0
    var dropNotice = DropNotice()
    /// Callers whom the full queue holds up; the end of a transaction wakes them.
    private(set) var waiters: [DispatchSemaphore] = []
    /// A full queue may hold up callers.
    var holdsBack = true
    /// Since when the queue is full and no transaction has taken readings.
    var fullSince: MonotonicTime?
    /// What is wrong, in words, while it is.
    var problem: String?
    /// SQLite found the file damaged: it is put away at the next commit.
    var isDamaged = false
    var isClosed = false
    /// Somebody waits for the journal to be closed, and a copy of a damaged file is not to keep him waiting.
    var isHurried = false
    /// One was ended for that.
    var isCutShort = false
    /// The losses of earlier runs are among those that wait, or in the books.
    var hasInherited = false
    /// The database was open at some time: what it knows of earlier runs is here.
    var wasOpened = false
    /// Called when it has been opened for the first time.
    var openers: [@Sendable () -> Void] = []
    var observer: (@Sendable () -> Void)?

    /// Between transactions that only the number of readings asks for: what comes faster shares them, and their costs.
    static let shortestInterval: Duration = .milliseconds(10)

    /// How long the next of these has to wait.
    func wait(at now: MonotonicTime) -> Duration {
        guard let lastCommit else { return .zero }
        return max(lastCommit + Self.shortestInterval - now, .zero)
    }

    /// Readings in memory.
    var pending: Int { waiting.readings.count + writing.readings.count }

    /// What to wait for where so many readings have no room, and until when a transaction may make some; nil where that is
    /// not so.
    mutating func waiter(
        forRoom count: Int, _ configuration: JournalConfiguration, at now: MonotonicTime
    ) -> (DispatchSemaphore, until: MonotonicTime)? {
        let capacity = configuration.queueCapacity
        guard pending + min(count, capacity) > capacity else {
            fullSince = nil
            return nil
        }
        let end = (fullSince ?? now) + configuration.longestHang
        fullSince = fullSince ?? now
        guard holdsBack, failures == 0, now < end else { return nil }
        let waiter = DispatchSemaphore(value: 0)
        waiters.append(waiter)
        return (waiter, end)
    }

    /// A stop ends holding back: what comes while the radio is being stopped may be more than a good disk takes.
    var dropMessage: Logger.Message {
        holdsBack || failures > 0
            ? "readings dropped: the disk does not keep up or cannot be written"
            : "readings dropped: they come faster than they can be written while the gateway stops"
    }

    mutating func wakeWaiters() {
        for waiter in waiters { waiter.signal() }
        waiters.removeAll()
    }

    mutating func giveUp(_ waiter: DispatchSemaphore) { waiters.removeAll { $0 === waiter } }

    /// Counts readings given up before they were written.
    mutating func lose(_ readings: ArraySlice<Reading>, _ reason: DropReason) {
        for reading in readings { waiting.losses[reason, default: [:]][reading.device, default: 0] &+= 1 }
    }

    /// Gives up what waits: the gateway stops, and nothing can be written. Says what was in no book by then.
    mutating func loseEverything() -> [DropReason: [String: Int]] {
        lose(waiting.readings[...], .stopped)
        waiting.readings = []
        return waiting.losses
    }

    /// What waits, for one transaction: everything, or not all of the readings where the disk has little room.
    mutating func takeBatch(_ room: JournalRoom = .ample) -> Batch {
        writing = waiting
        waiting = Batch()
        let count = room.count(of: writing.readings)
        isPortion = count < writing.readings.count
        if isPortion {
            waiting.readings = Array(writing.readings.dropFirst(count))
            writing.readings.removeSubrange(count...)
            // They are told when the last of the readings is durable.
            swap(&waiting.completions, &writing.completions)
        }
        schedule = .idle
        generation += 1
        return writing
    }

    mutating func putBack() {
        waiting.putBack(writing)
        writing = Batch()
    }

    /// The books of this moment, with what is in memory.
    var currentBooks: JournalStatistics {
        var books = books
        books.waiting = pending
        books.received &+= pending
        for batch in [waiting, writing] {
            for (reason, devices) in batch.losses {
                let count = devices.values.reduce(0, &+)
                books.received &+= count
                books.drop(count, reason)
            }
            for count in batch.gaps.values { books.missing = books.missing.addingSaturated(count) }
        }
        books.problem = problem
        books.notice = isShort ? JournalStatistics.shortOfRoom : nil
        books.bytesWritten = written
        return books
    }
}
