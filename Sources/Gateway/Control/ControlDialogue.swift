// SPDX-License-Identifier: Apache-2.0

import Platform
import Synchronization

/// One client's exchange of lines that is more than a question and its answer: either side may speak at any time, until
/// the gateway's last word or the client's end. Bounded on both sides (`ControlLimits`).
package final class ControlDialogue: Sendable {
    /// Lines that may wait for a client that does not read them; one that is so slow has to ask again.
    private static let capacity = 64

    private struct State {
        var lines: [[UInt8]] = []
        var isOver = false
        var bell: WakeUp?
    }

    private let state = Mutex(State())
    private let received: @Sendable ([UInt8]) -> Void
    private let left: @Sendable () -> Void

    /// Both are called on the server's thread. `left`: the client has gone before the last word was said.
    package init(received: @escaping @Sendable ([UInt8]) -> Void, left: @escaping @Sendable () -> Void) {
        self.received = received
        self.left = left
    }

    /// Says one line to the client; after the last one, nothing. Any thread.
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

    func take(_ line: [UInt8]) { received(line) }

    func clientLeft() {
        let wasOver = state.withLock { state in
            defer { state.isOver = true }
            return state.isOver
        }
        if !wasOver { left() }
    }
}
