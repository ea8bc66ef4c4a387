// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Waits between tries: each wait doubles, and is spread by ±50 % so that gateways do not come back all at once.
package struct Backoff: Sendable {
    package let range: ClosedRange<Duration>
    private var next: Duration

    package init(_ range: ClosedRange<Duration>) {
        self.range = range
        next = range.lowerBound
    }

    package mutating func reset() { next = range.lowerBound }

    /// - Parameter spread: 0.5…1.5, the share of the wait that is taken.
    package mutating func wait(spread: Double) -> Duration {
        defer { next = min(next * 2, range.upperBound) }
        return next * min(max(spread, 0.5), 1.5)
    }
}

extension Duration {
    /// For a person: rounded to a tenth of a second, or to a millisecond below a tenth.
    package var rounded: Duration {
        let step: Int64 = self < .milliseconds(100) ? 1 : 100
        return .milliseconds((wholeMilliseconds + step / 2) / step * step)
    }
}
