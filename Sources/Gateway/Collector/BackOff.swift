// SPDX-License-Identifier: Apache-2.0

/// Waits that double from 1 s to 60 s while something keeps failing.
struct BackOff: Equatable, Sendable {
    private(set) var failures = 0

    /// Notes a failure and says how long to wait before the next try.
    mutating func next() -> Duration {
        failures = min(failures + 1, 1000)
        return .seconds(min(60, 1 << min(failures - 1, 6)))
    }

    mutating func reset() { failures = 0 }
}
