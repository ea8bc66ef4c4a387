// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The crowd of devices that rules accept: the order in which they came, how many had to go, and what was said about it.
struct CandidateCrowd {
    private static let pause = DispatchTimeInterval.seconds(600)

    private var newest: UInt64 = 0
    /// Candidates that had to make room for others.
    private(set) var evicted = 0
    private var warnings = WarningPace()
    private var strangerWarnings = WarningPace()
    private var hasWarnedOfMaximum = false

    /// The place of a new one in the order in which they came.
    mutating func nextOrder() -> UInt64 {
        newest += 1
        return newest
    }

    /// One has to go. Whether that may be said now.
    mutating func evict(at now: DispatchTime) -> Bool {
        evicted += 1
        return warnings.take(at: now, pause: Self.pause)
    }

    /// The crowd was told of lately: its members need no word each.
    func isTold(at now: DispatchTime) -> Bool { warnings.isRecent(at: now) }

    /// Whether it may be said now that nothing is collected from a sensor whose address changes.
    mutating func mayWarnOfStranger(at now: DispatchTime) -> Bool { strangerWarnings.take(at: now, pause: Self.pause) }

    /// Whether it may be said that there are too many sensors: once.
    mutating func mayWarnOfMaximum() -> Bool {
        defer { hasWarnedOfMaximum = true }
        return !hasWarnedOfMaximum
    }
}
