// SPDX-License-Identifier: Apache-2.0

import MQTT

/// Takes requests over MQTT and their answers; a value without I/O.
///
/// The machine refuses a verb that the configuration does not allow. Each request is carried out once. Brokers repeat
/// unacknowledged requests. A repeated request with an id gets the first answer, if there is an answer so far. Another
/// request with the id of an earlier one is refused: its client would take the earlier answer for its own.
struct CommandMachine {
    /// Limit of requests that are in progress.
    static let maximumUnderway = 4
    /// Limit of answers that wait for the broker.
    private static let maximumWaiting = 32
    /// Limit of requests that are remembered by their ids.
    private static let remembered = 64

    enum Decision: Equatable {
        case perform(CommandRequest)
        case answer(CommandAnswer)
        /// The request is in progress; its client gets the answer at the end.
        case ignore
    }

    private struct Key: Hashable {
        var verb: String
        var id: String
    }

    private struct Known {
        /// The hash of the arguments.
        var arguments: Int
        var answer: CommandAnswer?
    }

    private let allowed: Set<String>
    private var underway = 0
    private var known: [Key: Known] = [:]
    /// The keys of ``known``, the oldest first.
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
        if let key, let former = known[key] {
            guard former.arguments == request.arguments.hashValue else {
                return .answer(
                    .failure(
                        kind: "not-valid", "another request had this id: each request takes an id of its own"))
            }
            return former.answer.map { .answer($0) } ?? .ignore
        }
        guard underway < Self.maximumUnderway else {
            return .answer(.failure(kind: "busy", "\(underway) commands are not carried out yet: try again"))
        }
        underway += 1
        if let key { remember(key, request) }
        return .perform(request)
    }

    /// A request has been carried out.
    mutating func performed(_ request: CommandRequest, _ answer: CommandAnswer) {
        underway = max(0, underway - 1)
        guard let id = request.id else { return }
        known[Key(verb: request.verb, id: id)]?.answer = answer
    }

    private mutating func remember(_ key: Key, _ request: CommandRequest) {
        known[key] = Known(arguments: request.arguments.hashValue)
        order.append(key)
        if order.count > Self.remembered, let oldest = order.popFirst() { known[oldest] = nil }
    }

    // MARK: - Answers on their way

    /// Queues an answer until there is room in flight.
    ///
    /// - Returns: False if too many answers wait: a client that asks too fast gets no answer.
    mutating func send(_ answer: OutgoingMessage, _ correlation: CorrelationData?) -> Bool {
        guard waiting.count < Self.maximumWaiting else { return false }
        waiting.append(Outgoing(message: answer, correlation: correlation))
        return true
    }

    mutating func popFirst() -> Outgoing? { waiting.popFirst() }
    var hasAnswers: Bool { !waiting.isEmpty }
}
