// SPDX-License-Identifier: Apache-2.0

import MQTT

/// Detects another client that takes the session again and again, if the broker does not report the other client:
/// mosquitto 2.0.11 hangs up on the earlier client. Each connection is accepted, and soon lost without a word.
struct SessionContest: Sendable {
    /// Within this time a loss counts as soon.
    static let soon: Duration = .seconds(30)
    /// A single loss is an outage; two losses may be two restarts of a broker.
    private static let suspicious = 3

    private var losses = 0
    /// The last wait of this side.
    private var wait: Duration = .zero

    /// This side waits for this long now. The contest goes on unless the next connection lasts a few times longer.
    mutating func waits(_ wait: Duration) { self.wait = wait }

    /// A connection or an attempt has ended.
    ///
    /// - Parameters:
    ///   - time: The length of the connection; nil if not accepted.
    ///   - isOverMessages: The broker may have hung up over messages.
    /// - Returns: Whether another client probably has the session now.
    mutating func ended(_ failure: MQTTFailure, after time: Duration?, isOverMessages: Bool) -> Bool {
        // The other side also waits before it comes back.
        let soon = losses >= Self.suspicious ? max(Self.soon, wait * 4) : Self.soon
        guard let time, failure.isWordless, !isOverMessages, time < soon else {
            losses = 0
            return false
        }
        losses += 1
        return losses >= Self.suspicious
    }
}
