// SPDX-License-Identifier: Apache-2.0

/// What the gateway says of itself and its sensors, waiting to be sent: of each topic the newest word alone, so that no
/// more wait than there are topics, and a word that comes back does not undo a newer one.
struct ControlQueue {
    /// Topics in the order in which they came to wait.
    private var order: ArraySlice<String> = []
    private var waiting: [String: OutgoingMessage] = [:]
    /// The newest word on each topic, waiting or sent.
    private var newest: [String: OutgoingMessage] = [:]

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }

    /// Takes the place of what waits on the same topic.
    mutating func append(_ message: OutgoingMessage) {
        newest[message.topic] = message
        if waiting.updateValue(message, forKey: message.topic) == nil { order.append(message.topic) }
    }

    /// Takes back what was sent and is to go again, unless something else has been said since.
    mutating func putBack(_ message: OutgoingMessage) {
        guard newest[message.topic] == message, waiting[message.topic] == nil else { return }
        append(message)
    }

    /// Nothing else has been said on the topic since.
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
