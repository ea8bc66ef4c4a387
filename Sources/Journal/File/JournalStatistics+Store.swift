// SPDX-License-Identifier: Apache-2.0

import Readings

extension JournalStatistics {
    static let shortOfRoom =
        "the journal's disk is nearly full: the journal does not grow any more, and its oldest readings go for new ones "
        + "when it is full"

    /// The figures on disk.
    init(_ opening: JournalStore.Opening, path: String) {
        self.init(path: path)
        received = opening.total.received
        delivered = opening.total.delivered
        dropped = opening.total.dropped
        missing = opening.total.missing
        buffered = opening.buffered
        committed = opening.total.committed
    }

    /// Adds the outcome of a transaction.
    mutating func add(_ outcome: JournalStore.Outcome) {
        received &+= outcome.changes.received
        delivered &+= outcome.changes.delivered
        missing &+= outcome.changes.missing
        committed &+= outcome.written
        buffered &+= outcome.written &- outcome.deleted
        dropped.merge(outcome.changes.dropped) { $0 &+ $1 }
    }
}
