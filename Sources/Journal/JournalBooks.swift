// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The books as they are on disk, and what is wrong with the journal; a value.
struct JournalBooks {
    static let opening = "the journal is being opened"

    private(set) var onDisk: JournalStatistics
    /// Octets written since the journal was opened.
    private var written: Int64 = 0
    /// What is wrong, in words, while it is.
    private var problem: String?
    /// The disk is short of room, as the log has said.
    private var isShort = false

    init(path: String) { onDisk = JournalStatistics(path: path) }

    // MARK: - Figures

    /// The database has been opened.
    mutating func replace(_ books: JournalStatistics) {
        onDisk = books
        if problem == Self.opening { problem = nil }
    }

    mutating func add(_ outcome: JournalStore.Outcome) {
        onDisk.add(outcome)
        written &+= outcome.octets
        problem = nil
    }

    /// All rows were counted, between two transactions: these are the rows that the books of this moment are about.
    ///
    /// - Returns: Whether there are some where the books knew of none.
    mutating func counted(_ rows: Int) -> Bool {
        defer { onDisk.buffered = rows }
        return onDisk.buffered <= 0 && rows > 0
    }

    /// The books of this moment, with what is in memory.
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
        books.notice = isShort ? JournalStatistics.shortOfRoom : nil
        books.bytesWritten = written
        return books
    }

    // MARK: - Trouble

    /// - Returns: Whether that is news.
    mutating func note(problem text: String) -> Bool {
        defer { problem = text }
        return problem != text
    }

    /// The opening takes long.
    ///
    /// - Returns: False where something else is wrong, which says more.
    mutating func noteOpening() -> Bool {
        guard problem == nil else { return false }
        problem = Self.opening
        return true
    }

    /// - Returns: Whether the disk has become short of room, or is no longer.
    mutating func note(_ room: JournalRoom) -> Bool {
        // What there is goes up and down with the log.
        let isShort = self.isShort ? room.free < 2 * room.reserve : room.isShort
        defer { self.isShort = isShort }
        return self.isShort != isShort
    }
}
