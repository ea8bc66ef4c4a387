// SPDX-License-Identifier: Apache-2.0

/// Messages that wait to be taken, within bounds: one that comes when there is no room for it is dropped and counted. The
/// broker has its acknowledgement by then, and does not send it again.
struct Inbox: Sendable {
    private let limits: MQTTOptions.Incoming
    private var messages: [IncomingMessage] = []
    /// Octets of `messages`.
    private var octets = 0
    private(set) var dropped = DroppedMessages()

    init(_ limits: MQTTOptions.Incoming) { self.limits = limits }

    /// - Parameter message: Nil for one that nothing can be done with.
    mutating func receive(_ message: IncomingMessage?) {
        guard let message else { return dropped.withUnusableTopic += 1 }
        guard messages.count < limits.maximumWaiting else { return dropped.aboveCount += 1 }
        guard message.octets <= limits.maximumWaitingOctets - octets else { return dropped.aboveOctets += 1 }
        octets += message.octets
        messages.append(message)
    }

    /// What has come since it was last called, in its order.
    mutating func take() -> [IncomingMessage] {
        defer { (messages, octets) = ([], 0) }
        return messages
    }
}

/// Messages that a connection has got and not handed over, by reason.
package struct DroppedMessages: Hashable, Sendable {
    /// As many as may were waiting.
    package var aboveCount = 0
    /// As many octets as may were waiting, or it has more by itself.
    package var aboveOctets = 0
    /// The response topic is empty, or has wildcards.
    package var withUnusableTopic = 0

    package var total: Int { aboveCount + aboveOctets + withUnusableTopic }
}
