// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The gateway's answers on the control socket, which is taken before there is anything to tell.
final class ControlAnswers: Sendable {
    private struct State {
        var handler: ControlServer.Handler?
        var dialogues: ControlServer.DialogueMaker?
    }

    private let state = Mutex(State())

    func install(_ handler: @escaping ControlServer.Handler, dialogues: @escaping ControlServer.DialogueMaker) {
        state.withLock { ($0.handler, $0.dialogues) = (handler, dialogues) }
    }

    func answer(_ line: [UInt8]) async -> [UInt8] {
        guard let handler = state.withLock({ $0.handler }) else {
            return Array(#"{"error":"the gateway is starting","ok":false}"#.utf8)
        }
        return await handler(line)
    }

    func dialogue(_ line: [UInt8]) -> ControlDialogue? { state.withLock { $0.dialogues }.flatMap { $0(line) } }
}
