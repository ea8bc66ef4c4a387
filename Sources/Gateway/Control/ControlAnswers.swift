// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Who answers on the control socket, which is taken before there is anything to tell. Beside what the gateway itself
/// answers, other modules may add commands of theirs.
final class ControlAnswers: Sendable {
    private struct State {
        var handler: ControlServer.Handler?
        var dialogues: ControlServer.DialogueMaker?
        var verbs: [String: ControlServer.Handler] = [:]
        var dialogueVerbs: [String: ControlServer.DialogueMaker] = [:]
    }

    private let state = Mutex(State())

    func install(_ handler: @escaping ControlServer.Handler, dialogues: @escaping ControlServer.DialogueMaker) {
        state.withLock { ($0.handler, $0.dialogues) = (handler, dialogues) }
    }

    func add(_ name: String, _ handler: @escaping ControlServer.Handler) {
        state.withLock { $0.verbs[name] = handler }
    }

    func add(_ name: String, dialogue: @escaping ControlServer.DialogueMaker) {
        state.withLock { $0.dialogueVerbs[name] = dialogue }
    }

    func answer(_ line: [UInt8]) async -> [UInt8] {
        let added = state.withLock { $0.verbs.isEmpty ? nil : $0.verbs }
        if let added, let name = Self.command(of: line), let handler = added[name] { return await handler(line) }
        guard let handler = state.withLock({ $0.handler }) else {
            return Array(#"{"error":"the gateway is starting","ok":false}"#.utf8)
        }
        return await handler(line)
    }

    func dialogue(_ line: [UInt8]) -> ControlDialogue? {
        let (own, added) = state.withLock { ($0.dialogues, $0.dialogueVerbs) }
        if !added.isEmpty, let name = Self.command(of: line), let make = added[name] { return make(line) }
        return own.flatMap { $0(line) }
    }

    private struct Named: Decodable {
        var command: String
    }

    private static func command(of line: [UInt8]) -> String? {
        (try? ControlCoding.decode(Named.self, from: line))?.command
    }
}
