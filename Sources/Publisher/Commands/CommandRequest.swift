// SPDX-License-Identifier: Apache-2.0

import Foundation
import MQTT

/// A request to the gateway on `…/gw/<gw>/cmd/<verb>`. Any client with the right to publish there may have made all its
/// parts.
package struct CommandRequest: Equatable, Sendable {
    package var verb: String
    /// The client recognises the answer by this id, and the gateway a repeated request; nil without an id.
    package var id: String?
    /// A JSON object.
    package var arguments: [UInt8]
    /// The topic for the answer; nil: `…/gw/<gw>/result`.
    var responseTopic: TopicName?
    var correlation: CorrelationData?

    package init(verb: String, id: String? = nil, arguments: [UInt8] = Array("{}".utf8)) {
        self.verb = verb
        self.id = id
        self.arguments = arguments
    }
}

/// The answer to a request.
package enum CommandAnswer: Equatable, Sendable {
    /// A JSON value.
    case success([UInt8])
    /// The kind of the failure, and words for a person.
    case failure(kind: String, String)
}

extension CommandRequest {
    /// Octets of the longest request.
    static let longest = 4_096
    /// Octets of the longest id.
    private static let longestID = 64

    private struct Head: Decodable {
        var id: String?
    }

    /// Reads a message on a command topic. An empty message is an object without arguments.
    init(_ message: IncomingMessage, verb: String) throws(CommandFault) {
        self.init(verb: verb)
        responseTopic = message.responseTopic
        correlation = message.correlation
        guard !message.payload.isEmpty else { return }
        guard message.payload.count <= Self.longest else { throw .tooLong }
        guard let head = try? JSONDecoder().decode(Head.self, from: Data(message.payload)) else { throw .noObject }
        if let id = head.id {
            guard (1...Self.longestID).contains(id.utf8.count) else { throw .id }
            self.id = id
        }
        arguments = message.payload
    }
}

/// Why a message is no request.
enum CommandFault: Error {
    case tooLong, noObject, id

    var text: String {
        switch self {
        case .tooLong: "a command has at most \(CommandRequest.longest) octets"
        case .noObject: #"a command is a JSON object, like {"id":"1"}; its "id" is a text"#
        case .id: #"an "id" has 1 to 64 octets"#
        }
    }
}
