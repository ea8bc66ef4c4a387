// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The remedies for a sensor with a link and without values. The collector reads the subscriptions back and writes
/// missing subscriptions again. If this does not help, the collector renews the link. All times in milliseconds since
/// boot.
struct QuietLink: Equatable, Sendable {
    private enum Step: Equatable, Sendable {
        case isFine
        /// The subscriptions are being read back.
        case isChecked
        /// The subscriptions are in place, or were written again.
        case isSubscribed
    }

    /// Between two renewals of the link.
    private static let pause: Int64 = 3_600_000

    private var step = Step.isFine
    private var renewedAt: Int64?

    var isFine: Bool { step == .isFine }
    var isChecking: Bool { step == .isChecked }

    /// Values came, or the link is gone.
    mutating func reset() { step = .isFine }
    mutating func checkBegins() { step = .isChecked }
    /// The subscriptions are in place, or were written again, or cannot be read: a new link may help.
    mutating func checked() { step = .isSubscribed }

    /// Whether to renew the link now. If so, the renewal counts as done. `limit`: of a silence.
    mutating func takeRenewal(silentFor lasted: Int64, limit: Int64, at now: Int64) -> Bool {
        let (twice, overflow) = limit.multipliedReportingOverflow(by: 2)
        guard step == .isSubscribed, !overflow, lasted >= twice else { return false }
        if let renewedAt, now.subtractingSaturated(renewedAt) < Self.pause { return false }
        renewedAt = now
        step = .isFine
        return true
    }
}
