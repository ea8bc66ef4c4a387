// SPDX-License-Identifier: Apache-2.0

/// The journal's counts of readings. Counts run on across restarts.
package struct JournalStatistics: Codable, Equatable, Sendable {
    /// The source of the counts.
    package enum Source: String, Codable, CaseIterable, Sendable {
        case gateway
        /// The file alone, which no gateway has open.
        case file
    }

    package var source = Source.gateway
    /// Readings handed to the journal.
    package var received = 0
    /// Received readings that were written to disk at some time.
    package var committed = 0
    /// Received readings that the broker has acknowledged, and that are deleted.
    package var delivered = 0
    /// Readings given up, by ``DropReason``.
    package var dropped: [String: Int] = [:]
    /// Values that were never received, by the sensors' own sequence numbers. `received` does not include them.
    package var missing = 0
    /// Readings on disk that the broker has not acknowledged.
    package var buffered = 0
    /// Readings in memory that are not on disk yet.
    package var waiting = 0
    /// Age of the oldest reading on disk; nil when there is none or its age is not known.
    package var oldestAgeSeconds: Double?
    package var path: String
    /// The trouble that keeps readings from disk, in words; nil without trouble.
    package var problem: String?
    /// Whether the trouble is a disk without room; nil without trouble.
    package var isFull: Bool?
    /// A trouble that a person should look at, although readings are written.
    package var notice: String?
    /// Size of the database and its write-ahead log.
    package var bytes: Int64 = 0
    /// Octets written to the disk since the gateway started, as far as the kernel or SQLite counts them.
    package var bytesWritten: Int64 = 0
    /// The counts of each sensor, by its name in topics; nil unless requested.
    package var sensors: [String: LedgerEntry]?

    /// More than any gateway receives. A count above this limit is invalid, and a few counts below it do not overflow
    /// when added.
    package static let largestCount: Int64 = 1 << 53

    package init(path: String) { self.path = path }

    /// Counts readings as given up, and returns the total for the reason.
    @discardableResult
    package mutating func drop(_ count: Int, _ reason: DropReason) -> Int {
        dropped[reason.rawValue, default: 0] &+= count
        return dropped[reason.rawValue, default: 0]
    }

    /// Whether each reading received is accounted for, once.
    package var balances: Bool {
        received == delivered &+ buffered &+ waiting &+ dropped.values.reduce(0, &+)
    }
}
