// SPDX-License-Identifier: Apache-2.0

import MQTT

/// Recognises that another client takes the session again and again, where the broker does not say so: mosquitto 2.0.11
/// hangs up on the one that was there before. Each connection is accepted, and lost without a word soon after.
struct SessionContest: Sendable {
    /// Within this time a connection is lost soon.
    static let soon: Duration = .seconds(30)
    /// One loss is an outage, and two are a broker that was started anew twice.
    private static let suspicious = 3

    private var losses = 0
    /// How long this side has waited last.
    private var wait: Duration = .zero

    /// This side waits for so long now: the contest goes on if the next connection is not a few times older when it is lost.
    mutating func waits(_ wait: Duration) { self.wait = wait }

    /// A connection, or a try to make one, has ended.
    ///
    /// - Parameters:
    ///   - time: For how long it stood; nil when it was not accepted.
    ///   - isOverMessages: The broker may have hung up over what it was sent.
    /// - Returns: Whether another client has the session now, as far as can be told.
    mutating func ended(_ failure: MQTTFailure, after time: Duration?, isOverMessages: Bool) -> Bool {
        // The other side waits, too, before it comes back.
        let soon = losses >= Self.suspicious ? max(Self.soon, wait * 4) : Self.soon
        guard let time, failure.isWordless, !isOverMessages, time < soon else {
            losses = 0
            return false
        }
        losses += 1
        return losses >= Self.suspicious
    }
}
