// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How far apart commits have to be for a day's writes to stay within a budget.
///
/// What a commit writes hardly depends on how many readings are in it: some pages of tables and the log's headers. So
/// fewer commits are what saves flash memory. An account is credited with the budget as time goes by, and debited with
/// what is written; when it is overdrawn the next commit waits until it no longer is, up to a limit.
struct WriteBudget: Sendable {
    static let maximumInterval: Duration = .seconds(10)
    /// What the account holds at most, and is overdrawn at most: an hour's budget, in seconds.
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

    /// Commits have to be further apart than they would be.
    func isOverdrawn(at now: MonotonicTime) -> Bool { balance(at: now) < 0 }

    private func balance(at now: MonotonicTime) -> Double {
        guard let rate, let last, now > last else { return balance }
        return min(balance + (now - last) / .seconds(1) * rate, rate * Self.span)
    }

    /// Whether there is a budget at all.
    var isLimited: Bool { rate != nil }
}
