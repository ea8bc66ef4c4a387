// SPDX-License-Identifier: Apache-2.0

import Gateway
import Synchronization

/// Server-sent events on their way to one visitor. Of what shows a state only the newest waits; of lines so many. A visitor
/// who takes nothing costs no more than that.
final class EventFeed: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case session, status, heard, window, update
    }

    /// Lines of the log that may wait.
    static let maximumLines = 300
    /// What the library takes for the end of a stream (MHD_CONTENT_READER_END_OF_STREAM).
    private static let endOfStream = -1

    private struct State {
        var states: [Kind: [UInt8]] = [:]
        var lines: [String] = []
        var missed = 0
        var isBeatDue = false
        /// What of an event has not gone yet; first of all, after how many milliseconds to come back.
        var rest: ArraySlice<UInt8> = Array("retry: 3000\n\n".utf8)[...]
        var resume: (@Sendable () -> Void)?
        var isEnded = false
    }

    /// Whose it is, where there are sessions.
    let session: String?
    private let state = Mutex(State())

    init(session: String? = nil) { self.session = session }

    /// The visitor is gone.
    var isEnded: Bool { state.withLock { $0.isEnded } }

    func put(_ kind: Kind, _ data: [UInt8]) { change { $0.states[kind] = data } }

    func put(lines: [String]) {
        guard !lines.isEmpty else { return }
        change { state in
            state.lines += lines
            if state.lines.count > Self.maximumLines {
                state.missed += state.lines.count - Self.maximumLines
                state.lines.removeFirst(state.lines.count - Self.maximumLines)
            }
        }
    }

    /// Something to take, so that a visitor who is gone is noticed.
    func beat() { change { $0.isBeatDue = true } }

    func end() { change { $0.isEnded = true } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            // Under the lock, as the suspension is: one never overtakes the other.
            state.resume.take()?()
        }
    }

    /// Gives what there is; 0 when there is nothing, after `suspend`, and −1 after the end. `resume` is called when there is
    /// something again.
    func take(
        into room: UnsafeMutableRawBufferPointer, suspend: () -> Void, resume: @escaping @Sendable () -> Void
    ) -> Int {
        state.withLock { state in
            if state.isEnded { return Self.endOfStream }
            if state.rest.isEmpty { state.rest = Self.next(&state)[...] }
            guard !state.rest.isEmpty else {
                state.resume = resume
                suspend()
                return 0
            }
            let part = state.rest.prefix(room.count)
            room.copyBytes(from: part)
            state.rest.removeFirst(part.count)
            return part.count
        }
    }

    private static func next(_ state: inout State) -> [UInt8] {
        for kind in Kind.allCases {
            if let data = state.states.removeValue(forKey: kind) {
                return Array("event: \(kind.rawValue)\ndata: ".utf8) + data + Array("\n\n".utf8)
            }
        }
        if !state.lines.isEmpty {
            var lines = state.lines
            if state.missed > 0 { lines.insert("… \(state.missed) lines were left out", at: 0) }
            (state.lines, state.missed) = ([], 0)
            let data = (try? ControlCoding.encode(LogLines(lines: lines))) ?? []
            return Array("event: log\ndata: ".utf8) + data + Array("\n\n".utf8)
        }
        guard state.isBeatDue else { return [] }
        state.isBeatDue = false
        return Array(":\n\n".utf8)
    }

    private struct LogLines: Encodable {
        var lines: [String]
    }
}
