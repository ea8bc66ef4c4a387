// SPDX-License-Identifier: Apache-2.0

/// The journal's books. Counts run on across restarts.
package struct JournalStatistics: Codable, Equatable, Sendable {
    /// Readings handed to the journal.
    package var received = 0
    /// Of these, written to disk at some time.
    package var committed = 0
    /// Of these, acknowledged by the broker and deleted.
    package var delivered = 0
    /// Readings given up, by reason: `queue-full`, `journal-full`, `closed`.
    package var dropped: [String: Int] = [:]
    /// Readings on disk that the broker has not acknowledged.
    package var buffered = 0
    /// Readings in memory that are not on disk yet.
    package var waiting = 0
    /// Age of the oldest reading on disk; nil when there is none or its age is not known.
    package var oldestAgeSeconds: Double?
    package var path: String
    /// Size of the database and its write-ahead log.
    package var bytes: Int64 = 0

    /// More than any gateway receives: a count above it is no count, and a few below it do not overflow when added.
    static let largestCount: Int64 = 1 << 53

    package init(path: String) { self.path = path }

    /// Whether each reading received is accounted for, once.
    package var balances: Bool {
        received == delivered &+ buffered &+ waiting &+ dropped.values.reduce(0, &+)
    }
}
