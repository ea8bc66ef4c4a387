// SPDX-License-Identifier: Apache-2.0

/// Where readings are written down, and how often.
package struct JournalConfiguration: Equatable, Sendable {
    package enum Durability: String, Codable, Sendable {
        /// Commits survive a power cut: SQLite's `synchronous = FULL`.
        case powerSafe = "power-safe"
        /// A power cut may take the last commits with it, a crash of the process does not: `synchronous = NORMAL`.
        case fast
    }

    /// The database file; its folder is made when missing, for its owner only.
    package var path: String
    /// A transaction is made when this many readings wait…
    package var commitRows: Int
    /// …or when the first of them has waited this long.
    package var commitInterval: Duration
    package var durability: Durability
    /// Readings that may wait in memory for the disk; more are dropped and counted.
    package var queueCapacity: Int
    /// Readings that may wait on disk for the broker; beyond it the oldest are dropped and counted.
    package var maximumRows: Int

    package init(
        path: String, commitRows: Int = 100, commitInterval: Duration = .milliseconds(500),
        durability: Durability = .powerSafe, queueCapacity: Int = 16_384, maximumRows: Int = 5_000_000
    ) {
        self.path = path
        self.commitRows = commitRows
        self.commitInterval = commitInterval
        self.durability = durability
        self.queueCapacity = queueCapacity
        self.maximumRows = maximumRows
    }
}
