// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Publisher
import Synchronization

/// What may be asked of the gateway over MQTT: verbs, their arguments, and what they are answered with. Each is a call of
/// ``GatewayOperations``; other modules bring theirs.
///
/// No secret is among the arguments or in an answer: a broker's clients may all read them.
package final class RemoteCommands: Sendable {
    package typealias Handler = @Sendable (_ arguments: Data) async throws(OperationError) -> Data

    /// All that there are, in the order of the documentation.
    package static let verbs = [
        "scan", "why", "accept", "forget", "trust", "write", "history", "identify", "provision", "support-bundle",
        "update", "restart",
    ]

    private let handlers = Mutex<[String: Handler]>([:])

    package func add(_ verb: String, _ handler: @escaping Handler) {
        handlers.withLock { $0[verb] = handler }
    }

    func perform(_ request: CommandRequest) async -> CommandAnswer {
        guard let handler = handlers.withLock({ $0[request.verb] }) else {
            return .failure(kind: "refused", "this gateway cannot do that: the part that does it is switched off")
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
