// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Platform
import Publisher
import Synchronization

/// What may be asked of the gateway over MQTT: verbs, their arguments, and what they are answered with. Each is a call of
/// ``GatewayOperations``; other modules bring theirs.
///
/// No secret is among the arguments or in an answer: a broker's clients may all read them.
package final class RemoteCommands: Sendable {
    package typealias Handler = @Sendable (_ arguments: Data) async throws(OperationError) -> Data

    /// How often a verb is carried out: `burst` times at once, and one more each `period`.
    struct Pace: Equatable, Sendable {
        var burst: Int
        var period: Duration
    }

    /// All verbs that there are, in the order of the documentation, each with its pace. What writes to the disk, sends
    /// something by radio or goes to the network is slow; what only looks is quick.
    static let paces: KeyValuePairs<String, Pace> = [
        "scan": Pace(burst: 60, period: .seconds(1)), "why": Pace(burst: 60, period: .seconds(1)),
        "accept": Pace(burst: 32, period: .seconds(15)), "forget": Pace(burst: 32, period: .seconds(15)),
        "trust": Pace(burst: 32, period: .seconds(15)), "write": Pace(burst: 60, period: .seconds(1)),
        "history": Pace(burst: 120, period: .seconds(1)),
        "identify": Pace(burst: 10, period: .seconds(5)), "provision": Pace(burst: 10, period: .seconds(15)),
        "support-bundle": Pace(burst: 2, period: .seconds(300)), "update": Pace(burst: 5, period: .seconds(60)),
        "restart": Pace(burst: 5, period: .seconds(60)),
    ]

    package static let verbs = paces.map(\.key)

    private struct State {
        var handlers: [String: Handler] = [:]
        var allowances = Dictionary(
            uniqueKeysWithValues: RemoteCommands.paces.map {
                ($0.key, Allowance($0.value.burst, every: $0.value.period))
            })
        var refused: [String: Int] = [:]
        var notices = NoticeLimit()
    }

    private let state = Mutex(State())

    package func add(_ verb: String, _ handler: @escaping Handler) {
        state.withLock { $0.handlers[verb] = handler }
    }

    /// Commands that came too often, by verb, since the gateway started.
    var refused: [String: Int] { state.withLock { $0.refused } }

    /// Whether one more failure is a line of the log, and how many were left out before it.
    func admitNotice(at now: MonotonicTime = .now) -> Int? { state.withLock { $0.notices.admit(at: now) } }

    func perform(_ request: CommandRequest, at now: MonotonicTime = .now) async -> CommandAnswer {
        let verb = request.verb
        let (handler, wait) = state.withLock { state -> (Handler?, Duration?) in
            guard let handler = state.handlers[verb] else { return (nil, nil) }
            let wait = state.allowances[verb]?.take(at: now)
            if wait != nil { state.refused[verb, default: 0] += 1 }
            return (handler, wait)
        }
        guard let handler else {
            return .failure(kind: "refused", "this gateway cannot do that: the part that does it is switched off")
        }
        if let wait {
            let seconds = Int((wait / .seconds(1)).rounded(.up))
            return .failure(
                kind: OperationError.Kind.busy.rawValue,
                "\(quoted(verb)) came too often: the gateway carries it out again in \(seconds) s")
        }
        do throws(OperationError) {
            return .success([UInt8](try await handler(Data(request.arguments))))
        } catch {
            return .failure(kind: error.kind.rawValue, error.description)
        }
    }

    /// The arguments of a command, or why they are none.
    package static func arguments<Arguments: Decodable>(
        _ type: Arguments.Type, of data: Data
    ) throws(OperationError) -> Arguments {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch DecodingError.keyNotFound(let key, _) {
            throw OperationError(.notValid, "\(quoted(key.stringValue)) is missing")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            let name = context.codingPath.last?.stringValue ?? "it"
            throw OperationError(.notValid, "\(quoted(name)) is of another type")
        } catch {
            throw OperationError(.notValid, "the arguments are no JSON object")
        }
    }

    package static func answer(_ result: some Encodable) throws(OperationError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        do {
            return try encoder.encode(result)
        } catch {
            throw OperationError(.failed, "the answer cannot be written")
        }
    }
}
