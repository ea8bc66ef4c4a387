// SPDX-License-Identifier: Apache-2.0

/// What has become of the readings of one sensor: received = delivered + buffered + dropped.
package struct LedgerEntry: Codable, Equatable, Sendable {
    /// The number of no sensor: what was counted before books were kept by sensor, or whose sensor was lost with a
    /// damaged file.
    package static let unattributed: Int64 = 0

    package var received = 0
    package var delivered = 0
    /// By ``DropReason``.
    package var dropped: [String: Int] = [:]
    /// Values that the sensor's own sequence says were never received; not among the received ones.
    package var missing = 0

    package init() {}

    package init(received: Int, dropped: [String: Int]) {
        self.received = received
        self.dropped = dropped
    }

    /// Readings that were given a row number at some time.
    package var committed: Int { received &- DropReason.beforeCommit.reduce(0) { $0 &+ (dropped[$1.rawValue] ?? 0) } }

    package var droppedTotal: Int { dropped.values.reduce(0, &+) }

    /// Rows that have to be in the journal for these books to balance.
    package var open: Int { received &- delivered &- droppedTotal }

    package static func += (entry: inout LedgerEntry, other: LedgerEntry) {
        entry.received &+= other.received
        entry.delivered &+= other.delivered
        entry.missing &+= other.missing
        entry.dropped.merge(other.dropped) { $0 &+ $1 }
    }
}
