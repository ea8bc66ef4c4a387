// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The interval between commits that keeps a day's writes within a budget.
///
/// The octets of a commit hardly depend on its number of readings: some pages of tables and the log's headers. So only
/// fewer commits save flash memory. An account is credited with the budget as time goes by, and debited with the
/// written octets. While the account is overdrawn, the next commit waits, up to a limit.
struct WriteBudget: Sendable {
    static let maximumInterval: Duration = .seconds(10)
    /// The limit of the account in credit and in debt: an hour's budget, in seconds.
    private static let span = 3600.0

    /// Octets a second; nil for no limit.
    private let rate: Double?
    private var balance: Double
    private var last: MonotonicTime?

    init(megabytesPerDay: Int) {
        rate = megabytesPerDay > 0 ? Double(megabytesPerDay) * 1_048_576 / 86_400 : nil
        balance = (rate ?? 0) * Self.span
    }

    mutating func wrote(_ octets: Int64, at now: MonotonicTime) {
        guard let rate else { return }
        balance = max(balance(at: now) - Double(octets), -rate * Self.span)
        last = max(last ?? now, now)
    }

    /// The time from now to the next commit: `base`, or longer.
    func interval(_ base: Duration, at now: MonotonicTime) -> Duration {
        guard let rate else { return base }
        let balance = balance(at: now)
        return balance < 0 ? max(base, min(.seconds(-balance / rate), Self.maximumInterval)) : base
    }

    /// Commits must be further apart than the configured interval.
    func isOverdrawn(at now: MonotonicTime) -> Bool { balance(at: now) < 0 }

    private func balance(at now: MonotonicTime) -> Double {
        guard let rate, let last, now > last else { return balance }
        return min(balance + (now - last) / .seconds(1) * rate, rate * Self.span)
    }

    /// Whether the writes have a budget.
    var isLimited: Bool { rate != nil }
}
