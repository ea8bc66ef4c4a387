// SPDX-License-Identifier: Apache-2.0

/// Why a reading was given up. Each reason is counted by its name, which never changes its meaning.
package struct DropReason: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// No room in memory while the disk did not keep up or could not be written.
    package static let queueFull = DropReason(rawValue: "queue-full")
    /// Received after the journal was closed.
    package static let closed = DropReason(rawValue: "closed")
    /// The journal had reached its limit of rows.
    package static let journalFull = DropReason(rawValue: "journal-full")
    /// The journal had reached its limit of size.
    package static let journalSize = DropReason(rawValue: "journal-size")
    /// Older than a reading may become.
    package static let journalAge = DropReason(rawValue: "journal-age")
    /// Left out of a window that other rows stand for, by a release before this one. No release gives this reason any
    /// more; ledgers keep it.
    package static let thinned = DropReason(rawValue: "thinned")
    /// In a damaged part of the file.
    package static let corrupt = DropReason(rawValue: "corrupt")
    /// Given a number once, and no longer in any file: the end of the journal is gone.
    package static let journalDamaged = DropReason(rawValue: "journal-damaged")
    /// In memory when the gateway stopped, and the disk could not be written.
    package static let stopped = DropReason(rawValue: "stopped")
    /// Given up by `martlet buffer purge`.
    package static let purged = DropReason(rawValue: "purged")
    /// A newer value of these quantities went out in its place.
    package static let coalesced = DropReason(rawValue: "coalesced")
    /// Too close to the value before.
    package static let deadBand = DropReason(rawValue: "dead-band")
    /// Too large for the broker, even in a message of its own.
    package static let refused = DropReason(rawValue: "refused")
    /// Received by another gateway as well, which delivers the reading.
    package static let covered = DropReason(rawValue: "covered")

    package static let all: [DropReason] = [
        .queueFull, .closed, .journalFull, .journalSize, .journalAge, .thinned, .corrupt, .journalDamaged, .stopped,
        .purged, .coalesced, .deadBand, .refused, .covered,
    ]

    /// Reasons that a user wants: nothing is wrong.
    package static let wished: [DropReason] = [.purged, .coalesced, .deadBand, .covered]
    /// Reasons for dropping readings that were never on disk.
    package static let beforeCommit: [DropReason] = [.queueFull, .closed, .stopped]
}
