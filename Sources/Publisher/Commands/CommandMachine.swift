// SPDX-License-Identifier: Apache-2.0

import MQTT

/// Takes requests over MQTT and their answers; a value without I/O.
///
/// A verb that the configuration does not allow is refused. A request is carried out once: when one with an id comes again, as
/// brokers repeat what they have no acknowledgement of, it has the answer of the first time, if there is one yet.
struct CommandMachine {
    /// Requests that are carried out, and that wait for it.
    static let maximumUnderway = 4
    /// Answers that wait for the broker.
    private static let maximumWaiting = 32
    /// Requests that are remembered by their ids.
    private static let remembered = 64

    enum Decision: Equatable {
        case perform(CommandRequest)
        case answer(CommandAnswer)
        /// It is being carried out: who asked gets the answer then.
        case ignore
    }

    private struct Key: Hashable {
        var verb: String
        var id: String
    }

    private let allowed: Set<String>
    private var underway = 0
    private var known: [Key: CommandAnswer?] = [:]
    /// Those of ``known``, the oldest first.
    private var order: ArraySlice<Key> = []
    private var waiting: ArraySlice<Outgoing> = []

    struct Outgoing {
        var message: OutgoingMessage
        var correlation: CorrelationData?
    }

    init(allowed: [String]) { self.allowed = Set(allowed) }

    mutating func decide(_ request: CommandRequest) -> Decision {
        guard allowed.contains(request.verb) else {
            return .answer(
                .failure(
                    kind: "refused", "this gateway takes no such command: mqtt.commands.allow says which it takes"))
        }
        let key = request.id.map { Key(verb: request.verb, id: $0) }
        if let key, let former = known[key] { return former.map { .answer($0) } ?? .ignore }
        guard underway < Self.maximumUnderway else {
            return .answer(.failure(kind: "busy", "\(underway) commands are not carried out yet: try again"))
        }
        underway += 1
        if let key { remember(key) }
        return .perform(request)
    }

    /// A request that was to be performed has been.
    mutating func performed(_ request: CommandRequest, _ answer: CommandAnswer) {
        underway = max(0, underway - 1)
        guard let id = request.id else { return }
        let key = Key(verb: request.verb, id: id)
        if known[key] != nil { known[key] = .some(answer) }
    }

    private mutating func remember(_ key: Key) {
        known[key] = .some(nil)
        order.append(key)
        if order.count > Self.remembered, let oldest = order.popFirst() { known[oldest] = nil }
    }

    // MARK: - Answers on their way

    /// Has an answer wait for room among what is in flight.
    ///
    /// - Returns: False when too many wait: who asks so fast gets no answer.
    mutating func send(_ answer: OutgoingMessage, _ correlation: CorrelationData?) -> Bool {
        guard waiting.count < Self.maximumWaiting else { return false }
        waiting.append(Outgoing(message: answer, correlation: correlation))
        return true
    }

    mutating func popFirst() -> Outgoing? { waiting.popFirst() }
    var hasAnswers: Bool { !waiting.isEmpty }
}
