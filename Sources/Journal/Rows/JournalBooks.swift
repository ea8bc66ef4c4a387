// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The ledger's figures on disk, and the journal's present problem; a value.
struct JournalBooks {
    static let opening = "the journal is being opened"

    private(set) var onDisk: JournalStatistics
    /// Octets written since the journal was opened.
    private var written: Int64 = 0
    /// The present problem, in words; nil without a problem.
    private var problem: String?
    /// Whether the present problem is a disk without room.
    private var isFull = false
    /// The log has reported that the disk is short of room.
    private var isShort = false

    init(path: String) { onDisk = JournalStatistics(path: path) }

    // MARK: - Figures

    /// Takes the figures of a newly opened database.
    mutating func replace(_ books: JournalStatistics) {
        onDisk = books
        if problem == Self.opening { problem = nil }
    }

    mutating func add(_ outcome: JournalStore.Outcome) {
        onDisk.add(outcome)
        written &+= outcome.octets
        problem = nil
    }

    /// Counts the octets of another file of the journal's queue.
    mutating func wroteBeside(_ octets: Int64) { written = written.addingSaturated(octets) }

    /// All rows were counted, between two transactions: the figures of this moment are about exactly these rows.
    ///
    /// - Returns: True if there are rows and the ledger knew of none.
    mutating func counted(_ rows: Int) -> Bool {
        defer { onDisk.buffered = rows }
        return onDisk.buffered <= 0 && rows > 0
    }

    /// The figures of this moment, with the rows in memory.
    func current(with batches: BatchQueue) -> JournalStatistics {
        var books = onDisk
        let pending = batches.pending
        books.waiting = pending
        books.received &+= pending
        for batch in [batches.waiting, batches.writing] {
            for (reason, devices) in batch.losses {
                let count = devices.values.reduce(0, &+)
                books.received &+= count
                books.drop(count, reason)
            }
            for count in batch.gaps.values { books.missing = books.missing.addingSaturated(count) }
        }
        books.problem = problem
        books.isFull = problem == nil ? nil : isFull
        books.notice = isShort ? JournalStatistics.shortOfRoom : nil
        books.bytesWritten = written
        return books
    }

    // MARK: - Trouble

    /// - Returns: True if the problem is new.
    mutating func record(_ error: JournalError) -> Bool {
        let text = "\(error)"
        defer { (problem, isFull) = (text, error.isOfRoom) }
        return problem != text
    }

    /// Notes that the opening takes long.
    ///
    /// - Returns: False if there is another problem, which is more telling.
    mutating func recordOpening() -> Bool {
        guard problem == nil else { return false }
        (problem, isFull) = (Self.opening, false)
        return true
    }

    /// - Returns: Whether a shortage of room has begun or ended.
    mutating func record(_ room: JournalRoom) -> Bool {
        // The free room goes up and down with the log.
        let isShort = self.isShort ? room.free < 2 * room.reserve : room.isShort
        defer { self.isShort = isShort }
        return self.isShort != isShort
    }
}
