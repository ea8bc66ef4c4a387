// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The wait of a connection for the broker's answer to SUBSCRIBE. MQTT 5.0, 3.9.
///
/// A broker without an answer sends no commands, but still receives readings. So the gateway reports the missing answer
/// once and goes on.
struct SubscriptionWatch {
    enum Event: Equatable {
        /// The limit is over.
        case late
        /// The answer is here. `afterWarning`: the answer was late.
        case answered(afterWarning: Bool)
    }

    /// The broker's time for its answer.
    static let limit: Duration = .seconds(15)

    /// The report of a missing answer.
    ///
    /// - Parameter bringsCommands: The gateway subscribes to more than the claims of its name.
    static func report(bringsCommands: Bool) -> String {
        "the broker has not answered SUBSCRIBE for \(limit.components.seconds) s: "
            + (bringsCommands ? "no command arrives" : "another gateway of the same name stays unnoticed")
    }

    private var since: MonotonicTime?
    private var isLate = false

    /// SUBSCRIBE has gone out.
    mutating func begin(at now: MonotonicTime) {
        since = now
        isLate = false
    }

    /// - Parameter awaits: A subscription of this connection has no answer so far.
    /// - Returns: Each event once.
    mutating func look(awaits: Bool, at now: MonotonicTime) -> Event? {
        guard let since else { return nil }
        if !awaits {
            self.since = nil
            return .answered(afterWarning: isLate)
        }
        guard !isLate, now - since >= Self.limit else { return nil }
        isLate = true
        return .late
    }
}
