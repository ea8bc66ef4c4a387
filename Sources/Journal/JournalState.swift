// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Logging
import Readings

/// All of a journal's state that is not on disk, under its lock.
struct JournalState {
    typealias Completion = @Sendable (Bool) -> Void

    /// The content of the next transaction. A failed transaction puts its content back unchanged.
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
        /// Values that the sensors' own sequences miss, by device.
        var gaps: [String: Int] = [:]
        var identifiers: [String: String] = [:]
        /// Unix time minus uptime of boots whose clock became right.
        var offsets: [String: Int64] = [:]

        var isEmpty: Bool {
            readings.isEmpty && acknowledged.isEmpty && surrendered.isEmpty && losses.isEmpty && gaps.isEmpty
                && identifiers.isEmpty && offsets.isEmpty
        }

        /// Rows whose deletion is not on disk yet.
        var settled: RowSet {
            var settled = acknowledged
            for rows in surrendered.values { settled.formUnion(rows) }
            return settled
        }

        /// Puts the failed rows before the rows that have come since.
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

    var database = OpenDatabase()
    var life = JournalLife()
    var batches = BatchQueue()
    var commits: CommitSchedule
    var callers = HeldCallers()
    var drops = DropNotice()
    var books: JournalBooks
    /// Small facts, with changes that are not on disk yet.
    var identifiers: [String: String] = [:]
    var observer: (@Sendable () -> Void)?

    init(_ configuration: JournalConfiguration) {
        commits = CommitSchedule(megabytesPerDay: configuration.maximumWriteMegabytesPerDay)
        books = JournalBooks(path: configuration.path)
    }

    /// The semaphore to wait for if `count` readings have no room, and until when a transaction may make room; nil if
    /// the caller need not wait.
    mutating func waiter(
        forRoom count: Int, _ configuration: JournalConfiguration, at now: MonotonicTime
    ) -> (DispatchSemaphore, until: MonotonicTime)? {
        let capacity = configuration.queueCapacity
        return callers.hold(
            hasRoom: batches.pending + min(count, capacity) <= capacity, isFailing: commits.isFailing,
            patience: configuration.longestHang, at: now)
    }

    /// A stop ends holding back: more readings may come during the stop than a good disk takes.
    var dropMessage: Logger.Message {
        callers.holdsBack || commits.isFailing
            ? "readings dropped: the disk does not keep up or cannot be written"
            : "readings dropped: they come faster than they can be written while the gateway stops"
    }
}
