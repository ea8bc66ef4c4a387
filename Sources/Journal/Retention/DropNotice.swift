// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Decides when the log reports readings dropped for want of room: at the first, once a minute while it goes on, and at
/// the end with their number.
struct DropNotice {
    static let interval: Duration = .seconds(60)
    /// The dropping is over when nothing was dropped for this time.
    static let quietTime: Duration = .seconds(5)

    private var saidAt: MonotonicTime?
    private var droppedAt = MonotonicTime.zero
    /// Readings were dropped since the last line in the log.
    private(set) var hasUnsaid = false
    /// Readings dropped for want of room since the journal was opened.
    private(set) var total = 0

    /// Counts dropped readings. True: report them now.
    mutating func dropped(_ count: Int, at now: MonotonicTime) -> Bool {
        total = total.addingSaturated(count)
        return isDue(at: now)
    }

    /// Readings were dropped. True: report them now.
    mutating func isDue(at now: MonotonicTime) -> Bool {
        droppedAt = now
        hasUnsaid = true
        if let saidAt, now - saidAt < Self.interval { return false }
        saidAt = now
        hasUnsaid = false
        return true
    }

    /// True once when the dropping is over, and readings were dropped after the last line in the log.
    mutating func isOver(at now: MonotonicTime) -> Bool {
        guard hasUnsaid, now - droppedAt >= Self.quietTime else { return false }
        hasUnsaid = false
        return true
    }

    /// The next drop has another reason, and is reported at once.
    mutating func beginAnew() { saidAt = nil }
}
