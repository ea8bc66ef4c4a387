// SPDX-License-Identifier: Apache-2.0

/// The fate of one sensor's readings: received = delivered + buffered + dropped.
package struct LedgerEntry: Codable, Equatable, Sendable {
    /// The number for readings without a known sensor: counted before there were counts by sensor, or of a sensor lost
    /// with a damaged file.
    package static let unattributed: Int64 = 0

    package var received = 0
    package var delivered = 0
    /// By ``DropReason``.
    package var dropped: [String: Int] = [:]
    /// Values that were never received, by the sensor's own sequence numbers; `received` does not include them.
    package var missing = 0

    package init() {}

    package init(received: Int, dropped: [String: Int]) {
        self.received = received
        self.dropped = dropped
    }

    /// Readings that were given a row number at some time.
    package var committed: Int { received &- DropReason.beforeCommit.reduce(0) { $0 &+ (dropped[$1.rawValue] ?? 0) } }

    package var droppedTotal: Int { dropped.values.reduce(0, &+) }

    /// The number of rows in the journal that makes these counts balance.
    package var open: Int { received &- delivered &- droppedTotal }

    package static func += (entry: inout LedgerEntry, other: LedgerEntry) {
        entry.received &+= other.received
        entry.delivered &+= other.delivered
        entry.missing &+= other.missing
        entry.dropped.merge(other.dropped) { $0 &+ $1 }
    }
}
