// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The broker's answer to SUBSCRIBE, as one connection waits for it. MQTT 5.0, 3.9.
///
/// A broker that never answers sends no commands, and readings reach it all the same: the gateway tells of it once and goes on.
struct SubscriptionWatch {
    enum Event: Equatable {
        /// The limit is over.
        case late
        /// The answer is there. `afterWarning`: the broker was called late before.
        case answered(afterWarning: Bool)
    }

    /// The time that a broker has for its answer.
    static let limit: Duration = .seconds(15)

    private var since: MonotonicTime?
    private var isLate = false

    /// SUBSCRIBE has gone out.
    mutating func begin(at now: MonotonicTime) {
        since = now
        isLate = false
    }

    /// - Parameter awaits: A subscription of this connection has no answer yet.
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
