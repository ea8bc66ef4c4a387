// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A bound over time: a burst at once, and after that no more than time gives back. A value without a clock.
///
/// An allowance: each use is a debt, which time pays off.
package struct Allowance: Sendable {
    /// The largest debt that is in order.
    private let burst: Duration
    /// The debt of one unit.
    private let unit: Duration
    /// The moment at which nothing is owed.
    private var paid = MonotonicTime.zero

    /// - Parameters:
    ///   - count: As many at once; 1 or more.
    ///   - period: One more each time that so much has gone by.
    package init(_ count: Int, every period: Duration) { (burst, unit) = (period * max(count, 1), period) }

    /// - Parameters:
    ///   - seconds: So much time at once.
    ///   - share: The part of each second that comes back: 0.5 is half of it. Above 0.
    package init(seconds: Double, share: Double) { (burst, unit) = (.seconds(seconds / share), .seconds(1 / share)) }

    /// How long it takes until one more may be taken; zero when it may be now.
    package func wait(at now: MonotonicTime) -> Duration { max(.zero, debt(at: now) + unit - burst) }

    /// Takes one, or says how long that has to wait.
    ///
    /// - Returns: nil when it is taken.
    package mutating func take(at now: MonotonicTime) -> Duration? {
        let wait = wait(at: now)
        guard wait == .zero else { return wait }
        paid = max(paid, now) + unit
        return nil
    }

    /// Takes what has been used already, also where that is more than there is.
    ///
    /// - Returns: How long the user has to rest until nothing is owed beyond the burst.
    package mutating func use(_ seconds: Duration, at now: MonotonicTime) -> Duration {
        paid = max(paid, now) + unit * (seconds / .seconds(1))
        return max(.zero, debt(at: now) - burst)
    }

    private func debt(at now: MonotonicTime) -> Duration { max(.zero, paid - now) }
}
