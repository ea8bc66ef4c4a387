// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// When the counter of a sensor's packets is written, and whether the operator has to look at the counter. All times in
/// milliseconds since boot. ``ReplayGuard`` judges the counter itself.
struct CounterKeeping: Equatable, Sendable {
    /// Minimum time between two writes.
    static let pause: Int64 = 60_000

    /// The sensor's counter went back: what an operator can do.
    private(set) var trouble: String?
    private var keptAt: Int64 = 0

    /// Whether to write the counter now. If so, the write counts as done. The counter of an event is written at once,
    /// because a recording of the event must not be believed after a restart.
    mutating func takeWrite(at now: Int64, isEvent: Bool) -> Bool {
        guard isEvent || now.subtractingSaturated(keptAt) >= Self.pause else { return false }
        keptAt = now
        return true
    }

    /// Whether the operator is to be told now. The operator is told once.
    func isNews(hasGoneBack: Bool) -> Bool { hasGoneBack && trouble == nil }

    mutating func wentBack(_ trouble: String) { self.trouble = trouble }

    /// A packet counts again, or the operator trusts the new count.
    mutating func settle() { trouble = nil }
}
