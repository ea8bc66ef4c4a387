// SPDX-License-Identifier: Apache-2.0

/// Waiting messages about the gateway and its sensors, only the newest on each topic. So there are never more waiting
/// messages than topics, and a returned message does not undo a newer message.
struct ControlQueue {
    /// Topics of the waiting messages, in order of arrival.
    private var order: ArraySlice<String> = []
    private var waiting: [String: OutgoingMessage] = [:]
    /// The newest message on each topic, waiting or sent.
    private var newest: [String: OutgoingMessage] = [:]

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }

    /// Replaces a waiting message on the same topic.
    mutating func append(_ message: OutgoingMessage) {
        newest[message.topic] = message
        if waiting.updateValue(message, forKey: message.topic) == nil { order.append(message.topic) }
    }

    /// Takes back a sent message for another attempt, unless its topic has a newer message.
    mutating func putBack(_ message: OutgoingMessage) {
        guard newest[message.topic] == message, waiting[message.topic] == nil else { return }
        append(message)
    }

    /// The topic has no newer message.
    func isNewest(_ message: OutgoingMessage) -> Bool { newest[message.topic] == message }

    mutating func popFirst() -> OutgoingMessage? {
        guard let topic = order.popFirst() else { return nil }
        return waiting.removeValue(forKey: topic)
    }

    mutating func removeAll() {
        order.removeAll()
        waiting.removeAll()
        newest.removeAll()
    }
}
