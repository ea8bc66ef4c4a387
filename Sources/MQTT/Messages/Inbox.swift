// SPDX-License-Identifier: Apache-2.0

/// Messages that wait for the client, within bounds: a message for which there is no room is dropped and counted. The
/// broker already has the acknowledgement by then, and does not send the message again.
struct Inbox: Sendable {
    private let limits: MQTTOptions.Incoming
    private var messages: [IncomingMessage] = []
    /// Octets of `messages`.
    private var octets = 0
    private(set) var dropped = DroppedMessages()

    init(_ limits: MQTTOptions.Incoming) { self.limits = limits }

    /// - Parameter message: Nil for a message with an unusable topic.
    mutating func receive(_ message: IncomingMessage?) {
        guard let message else { return dropped.withUnusableTopic += 1 }
        guard messages.count < limits.maximumWaiting else { return dropped.aboveCount += 1 }
        guard message.octets <= limits.maximumWaitingOctets - octets else { return dropped.aboveOctets += 1 }
        octets += message.octets
        messages.append(message)
    }

    /// The messages since the last call, in their order.
    mutating func take() -> [IncomingMessage] {
        defer { (messages, octets) = ([], 0) }
        return messages
    }
}

/// Messages that a connection received and did not hand over, by reason.
package struct DroppedMessages: Hashable, Sendable {
    /// The inbox had its limit of messages.
    package var aboveCount = 0
    /// The message would have exceeded the inbox's limit of octets.
    package var aboveOctets = 0
    /// The response topic is empty, or has wildcards.
    package var withUnusableTopic = 0

    package var total: Int { aboveCount + aboveOctets + withUnusableTopic }
}
