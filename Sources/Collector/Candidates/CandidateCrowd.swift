// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The candidates of all rules: their order of arrival, the number of evicted candidates, and the warnings so far.
struct CandidateCrowd {
    private static let pause = DispatchTimeInterval.seconds(600)

    private var newest: UInt64 = 0
    /// Candidates that made room for newer candidates.
    private(set) var evicted = 0
    private var warnings = WarningPace()
    private var strangerWarnings = WarningPace()
    private var hasWarnedOfMaximum = false

    /// The place of a new candidate in the order of arrival.
    mutating func nextOrder() -> UInt64 {
        newest += 1
        return newest
    }

    /// Counts an evicted candidate. True if the log may have a warning now.
    mutating func evict(at now: DispatchTime) -> Bool {
        evicted += 1
        return warnings.spend(at: now, pause: Self.pause)
    }

    /// The log had a warning about the crowd lately, so its members need no lines of their own.
    func isTold(at now: DispatchTime) -> Bool { warnings.isRecent(at: now) }

    /// Whether the log may now say that the collector takes nothing from a sensor with a changing address.
    mutating func mayWarnOfStranger(at now: DispatchTime) -> Bool { strangerWarnings.spend(at: now, pause: Self.pause) }

    /// Whether the log may say that there are too many sensors: once.
    mutating func mayWarnOfMaximum() -> Bool {
        defer { hasWarnedOfMaximum = true }
        return !hasWarnedOfMaximum
    }
}
