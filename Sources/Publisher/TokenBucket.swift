// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Lets so many rows a second through, a second's worth at once at most.
///
/// What goes through is a message with many rows, so that a bucket may be overdrawn: it opens again when that is made
/// up for, and the rate holds over time.
struct TokenBucket: Sendable {
    /// Rows a second; 0 has no limit.
    let rate: Int
    private var tokens: Double
    /// Rows that may go besides.
    private var credit = 0
    private var last: MonotonicTime?

    init(rate: Int) {
        self.rate = max(rate, 0)
        tokens = Double(self.rate)
    }

    /// Rows that are to go on top of the rate.
    mutating func grant(_ rows: Int) {
        if rate > 0 { credit = min(credit + rows, 1 << 30) }
    }

    /// What was granted and not used is no longer owed.
    mutating func forgetCredit() { credit = 0 }

    mutating func isOpen(at now: MonotonicTime) -> Bool {
        guard rate > 0 else { return true }
        if let last { tokens = min(tokens + (now - last) / .seconds(1) * Double(rate), Double(rate)) }
        last = now
        return tokens > 0 || credit > 0
    }

    mutating func take(_ rows: Int) {
        guard rate > 0 else { return }
        let granted = min(credit, rows)
        credit -= granted
        tokens -= Double(rows - granted)
    }

    /// How long it stays closed if nothing is granted.
    var wait: Duration {
        guard rate > 0, credit == 0, tokens <= 0 else { return .zero }
        // A little more than nothing is open.
        return .seconds((-tokens + 0.01) / Double(rate))
    }
}
