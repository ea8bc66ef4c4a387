// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The times of reads, and the use of the link between reads. Times in milliseconds since boot.
struct PollSchedule: Equatable, Sendable {
    /// Time between two polls.
    let interval: Int64
    /// Each poll makes a link of its own. Between polls the sensor sleeps, and other devices may connect to the sensor.
    let closesLink: Bool
    /// The start of the next poll.
    private(set) var next: Int64?

    /// The rule has no polls, and its sensor refuses subscriptions.
    let isSubstitute: Bool

    /// From this interval on, holding a link costs a coin cell more than making a link for each poll.
    static let holdLimit: Duration = .seconds(60)

    /// Nil for a rule without polls.
    init?(_ rule: SensorRule) {
        guard let interval = rule.readInterval, !rule.read.isEmpty else { return nil }
        self.interval = interval.wholeMilliseconds
        isSubstitute = false
        closesLink = rule.subscribe.isEmpty && (rule.linkUse ?? (interval < Self.holdLimit ? .hold : .close)) == .close
    }

    /// For a sensor that refused its subscriptions, on a link that stays.
    init(insteadOfSubscriptions rule: SensorRule) {
        interval = (rule.readInterval ?? rule.valueInterval ?? Self.substituteInterval).wholeMilliseconds
        (closesLink, isSubstitute) = (false, true)
    }

    private static let substituteInterval: Duration = .seconds(60)

    /// A poll begins. Missed polls are left out, because a sensor has its newest value only.
    mutating func began(at now: Int64) {
        let due = next ?? now
        // The next poll follows the clock, so the duration of a poll does not add to the interval. After a missed poll,
        // the interval starts from now.
        next = (0..<interval).contains(now - due) ? due + interval : now + interval
    }
}
