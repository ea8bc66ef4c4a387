// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT

/// The broker's general refusals: single topics, and all messages while the quota is used up; a value.
///
/// Keeps the newest complaint, for questions about the state of the connection.
struct BrokerRefusals {
    /// The present obstacle on this connection, in words.
    private(set) var complaint: String?
    /// The broker's last refusal, by topic: reported once.
    private var topics: [String: MQTTReason] = [:]
    private var quota = QuotaPause()

    mutating func begin() { complaint = nil }

    mutating func complain(_ text: String) { complaint = text }

    /// The complaint is over.
    mutating func withdraw() { complaint = nil }

    // MARK: - Topics

    /// - Parameter prefix: The gateway's own topics are below it.
    /// - Returns: Whether this is news.
    mutating func refused(_ topic: String, _ reason: MQTTReason, prefix: String) -> Bool {
        complaint = "\(topic) refused: \(Self.words(reason, of: topic, prefix: prefix))"
        return topics.updateValue(reason, forKey: topic) != reason
    }

    /// The reason, and an advice that is right for this topic: Home Assistant and Sparkplug have topics of their own.
    static func words(_ reason: MQTTReason, of topic: String, prefix: String) -> String {
        guard reason == .notAuthorized, !topic.hasPrefix(prefix + "/"), let level = topic.split(separator: "/").first
        else { return "\(reason)" }
        let advice = "allow this user to publish below \(level)/ (the broker's access list)"
        return "\(reason.named): \(advice)"
    }

    mutating func taken(_ topic: String) { topics[topic] = nil }

    // MARK: - The quota

    /// The broker accepts nothing more for a while.
    ///
    /// - Returns: As ``QuotaPause/begin(at:spread:)``.
    mutating func pause(_ reason: MQTTReason, at now: MonotonicTime, spread: Double) -> Duration? {
        complaint = "\(reason)"
        return quota.begin(at: now, spread: spread)
    }

    /// The broker accepted a message.
    mutating func succeeded() { quota.succeeded() }

    /// When sending may continue; nil without a pause.
    var pauseEnd: MonotonicTime? { quota.end }

    mutating func isPaused(at now: MonotonicTime, isIdle: Bool) -> Bool { quota.isOn(at: now, isIdle: isIdle) }
}
