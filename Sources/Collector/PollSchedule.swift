// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// When characteristics are read again, and what becomes of the link in between. Times in milliseconds since boot.
struct PollSchedule: Equatable, Sendable {
    /// From one poll to the next.
    let interval: Int64
    /// The link is made for each poll, so that the sensor sleeps in between and others may connect to it.
    let closesLink: Bool
    /// When the poll that is due next begins.
    private(set) var next: Int64?

    /// The rule has no polls: its sensor takes no subscription.
    let isSubstitute: Bool

    /// A link costs a coin cell more than making one now and then does.
    static let holdLimit: Duration = .seconds(60)

    /// Nil for a rule without polls.
    init?(_ rule: SensorRule) {
        guard let interval = rule.readInterval, !rule.read.isEmpty else { return nil }
        self.interval = interval.wholeMilliseconds
        isSubstitute = false
        closesLink = rule.subscribe.isEmpty && (rule.linkUse ?? (interval < Self.holdLimit ? .hold : .close)) == .close
    }

    /// For a sensor whose values were to be notified, on a link that stays.
    init(insteadOfSubscriptions rule: SensorRule) {
        interval = (rule.readInterval ?? rule.valueInterval ?? Self.substituteInterval).wholeMilliseconds
        (closesLink, isSubstitute) = (false, true)
    }

    private static let substituteInterval: Duration = .seconds(60)

    /// A poll begins. Those that were due meanwhile are left out: a sensor has its newest value only.
    mutating func began(at now: Int64) {
        let due = next ?? now
        // By the clock, so that intervals do not grow by what a poll takes, unless a whole one was missed.
        next = (0..<interval).contains(now - due) ? due + interval : now + interval
    }
}
