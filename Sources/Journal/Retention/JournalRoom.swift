// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// How much of the disk the next transaction may use, so that there is always room to go on.
///
/// SQLite needs room twice. The log gets each page that a transaction touches, pages of deleted rows included. The file
/// grows only when the log is copied to it. A log that cannot be copied never begins again, and a deletion then only
/// makes matters worse. So room is kept free for both. With less room, transactions become smaller and the copy comes
/// sooner.
struct JournalRoom: Equatable, Sendable {
    /// Octets of the log at which SQLite copies it by itself.
    static let longestLog = 1_000 * 4096
    private static let shortestLog = 8 * 4096
    /// Octets that stay free on the smallest of disks.
    static let leastReserve = 64 << 10
    /// Octets that a transaction with one reading touches.
    private static let leastShare = 4 * 4096
    /// Octets of a row without its value.
    private static let rowOctets = 48

    /// Octets that are free after the copy of the log; negative when there is not even room for the copy.
    let free: Int
    /// Octets that should stay free.
    let reserve: Int
    /// Octets at which the log is copied.
    let log: Int
    /// Octets that each part of a transaction may touch: deletions, new rows, and the rows given up for the new rows.
    let share: Int

    /// A disk of unknown size, or a disk far from full.
    static let ample = JournalRoom(free: .max, reserve: 0, log: longestLog, share: .max)

    private init(free: Int, reserve: Int, log: Int, share: Int) {
        self.free = free
        self.reserve = reserve
        self.log = log
        self.share = share
    }

    /// - Parameters:
    ///   - size: Octets of the database by its own count.
    ///   - file: Octets of its file; the copy of the log brings the missing octets.
    ///   - log: Octets of the log's file.
    ///   - minimum: Octets that the configuration wants to stay free.
    ///   - halvings: How often in a row the disk was full in spite of all this.
    init(_ space: DiskSpace, size: Int, file: Int, log: Int, minimum: Int, halvings: Int = 0) {
        let rest = space.free.subtractingSaturated(max(size - file, 0))
        // Powers of two, so that SQLite gets a new limit only now and then.
        var longest = Self.shortestLog
        while longest < Self.longestLog, longest * 2 <= rest / 8 { longest *= 2 }
        self.log = min(longest, Self.longestLog)
        // A log beyond its limit will be cut off.
        free = rest.addingSaturated(max(log - 2 * self.log, 0))
        // A tenth of a small disk. If other programs have taken the reserve, a small journal may still grow a little.
        reserve = max(min(minimum, space.total / 10, size / 4), Self.leastReserve)
        share = max((max(rest, 0) / 8) >> min(halvings, 32), Self.leastShare)
    }

    /// The file may not grow: new rows take the place of deleted rows.
    var isShort: Bool { free < reserve }

    /// Octets at which the log is cut off when it begins again.
    var logLimit: Int { 2 * log }

    /// Pages at which the log is copied.
    func logPages(of pageSize: Int) -> Int { max(log / max(pageSize, 1), 1) }

    /// Rows that a transaction may delete.
    var rows: Int { share == .max ? .max : share / Self.rowOctets }

    /// How many of the first of these readings go into one transaction; at least one.
    func count(of readings: [Reading]) -> Int {
        guard share < .max else { return readings.count }
        var octets = 0
        for (index, reading) in readings.enumerated() {
            octets = octets.addingSaturated(reading.value.count + Self.rowOctets)
            if octets > share { return max(index, 1) }
        }
        return readings.count
    }

    /// Pages that these readings need at least.
    static func pages(for readings: [Reading], pageSize: Int) -> Int {
        // A short row is on one page; long rows leave much of their pages empty.
        let octets = readings.reduce(0) { octets, reading in
            let row = reading.value.count + rowOctets
            return octets + (row < pageSize ? pageSize / (pageSize / row) : row + pageSize)
        }
        return octets / pageSize + octets / (8 * pageSize) + 4
    }
}
