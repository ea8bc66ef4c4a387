// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A bound over time: a burst at once, and after the burst no more than time gives back. A value without a clock.
///
/// An allowance: each use is a debt, which time pays off.
package struct Allowance: Sendable {
    /// The largest debt that leaves an allowance.
    private let burst: Duration
    /// The debt of one unit.
    private let unit: Duration
    /// The moment at which the debt is paid off.
    private var paid = MonotonicTime.zero

    /// - Parameters:
    ///   - count: Units at once; 1 or more.
    ///   - period: Time that gives one more unit back.
    package init(_ count: Int, every period: Duration) { (burst, unit) = (period * max(count, 1), period) }

    /// - Parameters:
    ///   - seconds: Seconds at once.
    ///   - share: The part of each second that comes back: 0.5 is half of the time. Above 0.
    package init(seconds: Double, share: Double) { (burst, unit) = (.seconds(seconds / share), .seconds(1 / share)) }

    /// How long until one more unit may be spent; zero: now.
    package func wait(at now: MonotonicTime) -> Duration { max(.zero, debt(at: now) + unit - burst) }

    /// Spends one unit, or returns how long the unit has to wait.
    ///
    /// - Returns: Nil when the unit is spent.
    package mutating func spend(at now: MonotonicTime) -> Duration? {
        let wait = wait(at: now)
        guard wait == .zero else { return wait }
        paid = max(paid, now) + unit
        return nil
    }

    /// Takes time that was already used, even beyond the allowance.
    ///
    /// - Returns: How long the user has to rest until no debt is left beyond the burst.
    package mutating func use(_ seconds: Duration, at now: MonotonicTime) -> Duration {
        paid = max(paid, now) + unit * (seconds / .seconds(1))
        return max(.zero, debt(at: now) - burst)
    }

    private func debt(at now: MonotonicTime) -> Duration { max(.zero, paid - now) }
}
