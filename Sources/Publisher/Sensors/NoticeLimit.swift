// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Limits how many lines of a kind a publishing client can cause in the log: a number of lines a minute, and the count
/// of left-out lines.
package struct NoticeLimit: Sendable {
    package static let perMinute = 20

    private var began = MonotonicTime.zero
    private var count = 0
    private var unsaid = 0

    package init() {}

    /// Nil if this minute has had too many lines; otherwise the number of lines left out before this line.
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
