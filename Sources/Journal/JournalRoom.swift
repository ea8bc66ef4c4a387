// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// How much the next transaction may use of the disk, so that there is always room to go on.
///
/// SQLite needs room twice: for its log, which gets each page that a transaction touches, those of deleted rows included;
/// and for the file, which grows only when the log is copied to it. A log that cannot be copied never begins again, and
/// then a deletion only makes matters worse. So room is kept free for both, and the less there is of it, the smaller the
/// transactions and the sooner the copy.
struct JournalRoom: Equatable, Sendable {
    /// SQLite copies a log of so many octets by itself, and of no fewer.
    static let longestLog = 1_000 * 4096
    private static let shortestLog = 8 * 4096
    /// What is kept free on the smallest of disks.
    static let leastReserve = 64 << 10
    /// A transaction with one reading touches so much.
    private static let leastShare = 4 * 4096
    /// A row without its value.
    private static let rowOctets = 48

    /// Octets that will be free when the log has been copied; negative when there is not even room for that.
    let free: Int
    /// Octets that are to stay free.
    let reserve: Int
    /// The log is copied when it has so many octets.
    let log: Int
    /// Octets that each part of a transaction may touch: what is deleted, what is written, what has to go for it.
    let share: Int

    /// A disk that nobody knows anything of, or that is far from full.
    static let ample = JournalRoom(free: .max, reserve: 0, log: longestLog, share: .max)

    private init(free: Int, reserve: Int, log: Int, share: Int) {
        self.free = free
        self.reserve = reserve
        self.log = log
        self.share = share
    }

    /// - Parameters:
    ///   - size: octets that the database has by its own count.
    ///   - file: octets of its file; what it lacks comes with the copy of the log.
    ///   - log: octets of the log's file.
    ///   - minimum: octets that the configuration wants to stay free.
    ///   - halvings: how often the disk was full in a row in spite of all this.
    init(_ space: DiskSpace, size: Int, file: Int, log: Int, minimum: Int, halvings: Int = 0) {
        let rest = space.free.subtractingSaturated(max(size - file, 0))
        // Powers of two, so that SQLite is told of it now and then only.
        var longest = Self.shortestLog
        while longest < Self.longestLog, longest * 2 <= rest / 8 { longest *= 2 }
        self.log = min(longest, Self.longestLog)
        // A log that has become longer than it should be is cut off.
        free = rest.addingSaturated(max(log - 2 * self.log, 0))
        // A tenth of a small disk. Where others have taken what should stay free, a small journal may still grow some.
        reserve = max(min(minimum, space.total / 10, size / 4), Self.leastReserve)
        share = max((max(rest, 0) / 8) >> min(halvings, 32), Self.leastShare)
    }

    /// The file may not grow: what is new takes the place of what goes.
    var isShort: Bool { free < reserve }

    /// Octets at which the log is cut off when it begins again.
    var logLimit: Int { 2 * log }

    /// Pages at which the log is copied.
    func logPages(of pageSize: Int) -> Int { max(log / max(pageSize, 1), 1) }

    /// Rows that a transaction may delete.
    var rows: Int { share == .max ? .max : share / Self.rowOctets }

    /// How many of the first of these readings go into one transaction; one at least.
    func count(of readings: [Reading]) -> Int {
        guard share < .max else { return readings.count }
        var octets = 0
        for (index, reading) in readings.enumerated() {
            octets = octets.addingSaturated(reading.value.count + Self.rowOctets)
            if octets > share { return max(index, 1) }
        }
        return readings.count
    }

    /// Pages that readings take when they are written: no fewer than that.
    static func pages(for readings: [Reading], pageSize: Int) -> Int {
        // A row is on one page, unless it is longer: long ones leave much of it empty.
        let octets = readings.reduce(0) { octets, reading in
            let row = reading.value.count + rowOctets
            return octets + (row < pageSize ? pageSize / (pageSize / row) : row + pageSize)
        }
        return octets / pageSize + octets / (8 * pageSize) + 4
    }
}
