// SPDX-License-Identifier: Apache-2.0

import Foundation
import Operations

/// A line to the control socket, as the command line sends it: `{"command":"why","sensor":"fridge"}`. The gateway reads
/// each operation's own arguments ([operations](operations.md)).
package struct ControlRequest: Codable, Equatable, Sendable {
    package var command: String
    package var sensor: String?
    package var address: String?
    package var id: String?
    package var quantity: String?
    package var passkey: String?
    package var key: String?
    package var subscribe: [String]?
    package var characteristic: String?
    package var value: String?
    package var response: Bool?
    package var report: UpdateReport?
    package var seconds: Double?
    package var unixMs: Int64?
    package var force: Bool?
    package var problem: String?
    package var end: Bool?
    package var label: String?
    package var room: String?

    package init(
        _ operation: OperationName, sensor: String? = nil, address: String? = nil, passkey: String? = nil,
        unixMs: Int64? = nil, force: Bool? = nil
    ) {
        command = operation.rawValue
        (self.sensor, self.address, self.passkey) = (sensor, address, passkey)
        (self.unixMs, self.force) = (unixMs, force)
    }
}

/// The answer to a request, in one line: `{"ok":true,"result":{…}}` or `{"ok":false,"error":"…"}`.
package struct ControlResponse<Result: Codable & Sendable>: Codable, Sendable {
    package var ok: Bool
    package var result: Result?
    package var error: String?

    package static func success(_ result: Result) -> Self { Self(ok: true, result: result, error: nil) }
    package static func failure(_ error: String) -> Self { Self(ok: false, result: nil, error: error) }
}

/// How both sides write JSON: keys in snake case, sorted, no line breaks.
package enum ControlCoding {
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value))
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from octets: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(octets))
    }
}

/// Bounds of the control socket, which limit the cost of a client.
package struct ControlLimits: Sendable {
    /// Longest request, in octets, without its line end.
    package var request = 4096
    /// A further client displaces the client that has been silent longest.
    package var clients = 16
    /// How long a client may be silent, or slow to read its answer.
    package var patience: Duration = .seconds(10)
    /// How long the gateway may take for an answer. After this time the client gets an error. A row's own time
    /// (`OperationRow.Bounds`) is shorter, so that the error is the row's.
    package var answer: Duration = longestRow + .seconds(5)
    /// Answers in progress, including answers for clients that have gone.
    package var answers = 32
    /// The longest time of a dialogue: people need time.
    package var dialogue: Duration = .seconds(180)
    /// Lines that a client may send in a dialogue.
    package var dialogueLines = 32

    /// The longest time of a row that clients of the socket may ask for.
    private static let longestRow =
        OperationTable.rows.filter { $0.callers.contains(.socket) }.map(\.bounds.time).max() ?? .seconds(60)

    package init() {}
}

package enum ControlError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another process answers on the socket.
    case inUse(path: String)
    case pathTooLong(path: String)
    case system(operation: String, path: String, errno: Int32)
    /// The gateway did not answer in time, or closed the connection.
    case noAnswer(path: String)
    /// The gateway refused or failed, and gave this reason.
    case refused(String)
    case malformedAnswer(String)

    /// True if the socket does not exist, or no process listens on it.
    package var saysThatNobodyListens: Bool {
        if case .system(_, _, let code) = self { code == ENOENT || code == ECONNREFUSED } else { false }
    }

    package var description: String {
        switch self {
        case .inUse(let path): "another gateway is running: it listens on \(path)"
        case .pathTooLong(let path): "the path of a socket has at most 107 octets: \(path)"
        case .system(let operation, let path, let errno): "\(operation) \(path): \(String(cString: strerror(errno)))"
        case .noAnswer(let path): "no answer on \(path)"
        case .refused(let reason): reason
        case .malformedAnswer(let reason): "the gateway's answer could not be read: \(reason.onOneLine)"
        }
    }
}
