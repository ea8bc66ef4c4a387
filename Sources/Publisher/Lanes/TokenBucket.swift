// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Lets `rate` rows a second through, and at most a second's worth at once.
///
/// A message has many rows, so a bucket may be overdrawn. It opens again when the debt is paid, so the rate holds over
/// time.
struct TokenBucket: Sendable {
    /// Rows a second; 0: no limit.
    let rate: Int
    private var tokens: Double
    /// Rows that may go in addition to the rate.
    private var credit = 0
    private var last: MonotonicTime?

    init(rate: Int) {
        self.rate = max(rate, 0)
        tokens = Double(self.rate)
    }

    /// Adds rows that may go in addition to the rate.
    mutating func grant(_ rows: Int) {
        if rate > 0 { credit = min(credit + rows, 1 << 30) }
    }

    /// Unused additional rows are no longer allowed.
    mutating func forgetCredit() { credit = 0 }

    mutating func isOpen(at now: MonotonicTime) -> Bool {
        guard rate > 0 else { return true }
        if let last { tokens = min(tokens + (now - last) / .seconds(1) * Double(rate), Double(rate)) }
        last = now
        return tokens > 0 || credit > 0
    }

    mutating func spend(_ rows: Int) {
        guard rate > 0 else { return }
        let granted = min(credit, rows)
        credit -= granted
        tokens -= Double(rows - granted)
    }

    /// How long the bucket stays closed without additional rows.
    var wait: Duration {
        guard rate > 0, credit == 0, tokens <= 0 else { return .zero }
        // A little more than zero is open.
        return .seconds((-tokens + 0.01) / Double(rate))
    }
}
