// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT

/// What the broker refuses as a whole: single topics, and everything while its quota is used up; a value.
///
/// It keeps the newest complaint for those who ask how the connection stands.
struct BrokerRefusals {
    /// What is in the way on this connection, in words.
    private(set) var complaint: String?
    /// What the broker refused last, by topic: said once.
    private var topics: [String: MQTTReason] = [:]
    private var quota = QuotaPause()

    mutating func begin() { complaint = nil }

    mutating func complain(_ text: String) { complaint = text }

    /// The complaint is over.
    mutating func withdraw() { complaint = nil }

    // MARK: - Topics

    /// - Returns: Whether that is news.
    mutating func refused(_ topic: String, _ reason: MQTTReason) -> Bool {
        complaint = "\(topic) refused: \(reason)"
        return topics.updateValue(reason, forKey: topic) != reason
    }

    mutating func taken(_ topic: String) { topics[topic] = nil }

    // MARK: - The quota

    /// Nothing more is taken for a while.
    ///
    /// - Returns: As ``QuotaPause/begin(at:spread:)``.
    mutating func pause(_ reason: MQTTReason, at now: MonotonicTime, spread: Double) -> Duration? {
        complaint = "\(reason)"
        return quota.begin(at: now, spread: spread)
    }

    /// A message was taken.
    mutating func succeeded() { quota.succeeded() }

    /// When sending may go on; nil while nothing holds it up.
    var pauseEnd: MonotonicTime? { quota.end }

    mutating func isPaused(at now: MonotonicTime, isIdle: Bool) -> Bool { quota.isOn(at: now, isIdle: isIdle) }
}
