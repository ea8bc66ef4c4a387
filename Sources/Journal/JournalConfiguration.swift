// SPDX-License-Identifier: Apache-2.0

/// The place of the journal, how often it writes, and how many readings it keeps.
package struct JournalConfiguration: Equatable, Sendable {
    package enum Durability: String, Codable, Sendable {
        /// Commits survive a power cut: SQLite's `synchronous = FULL`.
        case powerSafe = "power-safe"
        /// A power cut may take the last commits with it; a crash of the process takes none: `synchronous = NORMAL`.
        case fast
    }

    /// The database file; a missing folder is made, for its owner only.
    package var path: String
    /// The name of the gateway that takes the rows from now on; nil leaves the names as they are.
    package var gateway: String?
    /// A transaction is made when this many readings wait…
    package var commitRows: Int
    /// …or when the first of them has waited for this time.
    package var commitInterval: Duration
    package var durability: Durability
    /// Readings that may wait in memory for the disk; more are dropped and counted.
    package var queueCapacity: Int
    /// How long a full queue without a successful transaction may hold up the callers.
    package var longestHang: Duration = .seconds(2)
    /// Readings that may wait on disk for the broker.
    package var maximumRows: Int
    /// MiB that these readings may take on disk; 0 for no limit.
    package var maximumMegabytes = 0
    /// MiB of the disk that the journal leaves free, for other programs and for itself; a tenth of the disk if a tenth
    /// is less.
    package var minimumFreeMegabytes = 32
    /// Hours after which readings are given up; 0 for never.
    package var maximumAgeHours = 0
    /// MiB a day that may be written to the disk, as far as longer intervals between commits can keep to it; 0 for no
    /// limit.
    package var maximumWriteMegabytesPerDay = 0

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
