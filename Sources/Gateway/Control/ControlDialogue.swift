// SPDX-License-Identifier: Apache-2.0

import Platform
import Synchronization

/// A client's dialogue with the gateway: either side may send a line at any time, until the gateway's last line or the
/// client's end. Bounded on both sides (`ControlLimits`).
package final class ControlDialogue: Sendable {
    /// Lines that may wait for a client. A client that reads too slowly loses lines, and has to ask again.
    private static let capacity = 64

    private struct State {
        var lines: [[UInt8]] = []
        var isOver = false
        var bell: WakeUp?
    }

    private let state = Mutex(State())
    private let received: @Sendable ([UInt8]) -> Void
    private let left: @Sendable () -> Void

    /// Both closures run on the server's thread. `left`: the client has gone before the last line.
    package init(received: @escaping @Sendable ([UInt8]) -> Void, left: @escaping @Sendable () -> Void) {
        self.received = received
        self.left = left
    }

    /// A dialogue of one line, the refusal.
    package static func refusing(_ reason: String) -> ControlDialogue {
        let dialogue = ControlDialogue(received: { _ in }, left: {})
        let line = try? ControlCoding.encode(ControlResponse<String>.failure(reason))
        dialogue.say(line ?? Array(#"{"error":"refused","ok":false}"#.utf8), isLast: true)
        return dialogue
    }

    /// Sends a line to the client; nothing after the last line. Any thread.
    package func say(_ line: [UInt8], isLast: Bool = false) {
        let bell = state.withLock { state -> WakeUp? in
            guard !state.isOver else { return nil }
            if state.lines.count < Self.capacity { state.lines.append(line) }
            state.isOver = isLast
            return state.bell
        }
        bell?.signal()
    }

    // MARK: The server's side

    func begin(_ bell: WakeUp) {
        state.withLock { $0.bell = bell }
        bell.signal()
    }

    func takeLines() -> (lines: [[UInt8]], isOver: Bool) {
        state.withLock { state in
            defer { state.lines = [] }
            return (state.lines, state.isOver)
        }
    }

    func receive(_ line: [UInt8]) { received(line) }

    func clientLeft() {
        let wasOver = state.withLock { state in
            defer { state.isOver = true }
            return state.isOver
        }
        if !wasOver { left() }
    }
}
