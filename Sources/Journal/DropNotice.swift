// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// When the log says that readings are dropped for want of room: with the first, once a minute for as long as it goes on, and when
/// it is over, with how many there were.
struct DropNotice {
    static let interval: Duration = .seconds(60)
    /// It is over when nothing was dropped for this long.
    static let quietTime: Duration = .seconds(5)

    private var saidAt: MonotonicTime?
    private var droppedAt = MonotonicTime.zero
    /// Readings were dropped since the log has said so.
    private(set) var hasUnsaid = false
    /// Readings that found no room since the journal was opened.
    private(set) var total = 0

    /// So many readings were dropped. True: it is to be said now.
    mutating func dropped(_ count: Int, at now: MonotonicTime) -> Bool {
        total = total.addingSaturated(count)
        return isDue(at: now)
    }

    /// Readings were dropped. True: it is to be said now.
    mutating func isDue(at now: MonotonicTime) -> Bool {
        droppedAt = now
        hasUnsaid = true
        if let saidAt, now - saidAt < Self.interval { return false }
        saidAt = now
        hasUnsaid = false
        return true
    }

    /// True once where nothing is dropped any more, and more was than the log has said.
    mutating func isOver(at now: MonotonicTime) -> Bool {
        guard hasUnsaid, now - droppedAt >= Self.quietTime else { return false }
        hasUnsaid = false
        return true
    }

    /// What is dropped next has another reason, and is said at once.
    mutating func beginAnew() { saidAt = nil }
}
