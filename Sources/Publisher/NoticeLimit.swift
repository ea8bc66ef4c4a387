// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How much of the log whoever may publish at the broker can fill with one kind of line: so many a minute, and how many were left out.
package struct NoticeLimit: Sendable {
    package static let perMinute = 20

    private var began = MonotonicTime.zero
    private var count = 0
    private var unsaid = 0

    package init() {}

    /// Nil where there were too many lines in this minute; otherwise how many were left out before this one.
    package mutating func admit(at now: MonotonicTime) -> Int? {
        if now - began >= .seconds(60) { (began, count) = (now, 0) }
        guard count < Self.perMinute else {
            unsaid += 1
            return nil
        }
        count += 1
        defer { unsaid = 0 }
        return unsaid
    }
}
