// SPDX-License-Identifier: Apache-2.0

import Foundation
import MQTT

/// What somebody asks of the gateway on `…/gw/<gw>/cmd/<verb>`. Anybody who may publish there has made all of it.
package struct CommandRequest: Equatable, Sendable {
    package var verb: String
    /// By which who has asked knows the answer, and the gateway a request that comes again; nil where there is none.
    package var id: String?
    /// A JSON object.
    package var arguments: [UInt8]
    /// Where the answer goes; nil is `…/gw/<gw>/result`.
    var responseTopic: TopicName?
    var correlation: CorrelationData?

    package init(verb: String, id: String? = nil, arguments: [UInt8] = Array("{}".utf8)) {
        self.verb = verb
        self.id = id
        self.arguments = arguments
    }
}

/// What a request is answered with.
package enum CommandAnswer: Equatable, Sendable {
    /// A JSON value.
    case success([UInt8])
    /// Of what kind, and in words for a person.
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

    /// Reads a message on a topic of commands. An empty one is an object without arguments.
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
