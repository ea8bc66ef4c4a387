// SPDX-License-Identifier: Apache-2.0

/// A moment on a clock that never steps back: nanoseconds since an arbitrary start.
///
/// Machines take the time as an argument; only shells read a clock.
package struct MonotonicTime: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let zero = MonotonicTime(nanoseconds: 0)

    /// Milliseconds since the clock's start.
    package var wholeMilliseconds: Int64 { nanoseconds / 1_000_000 }

    /// The earlier time. A deadline that is nil never comes.
    package static func earlier(_ one: Self?, _ other: Self?) -> Self? {
        guard let one, let other else { return one ?? other }
        return other < one ? other : one
    }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    package static func + (left: Self, right: Duration) -> Self {
        Self(nanoseconds: left.nanoseconds.addingSaturating(right.wholeNanoseconds))
    }

    package static func - (left: Self, right: Self) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, saturated to the range of 64 bits (292 years).
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return product.addingSaturating(attoseconds / 1_000_000_000)
    }

    /// The duration in milliseconds, rounded towards zero.
    package var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}

extension Int64 {
    fileprivate func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
