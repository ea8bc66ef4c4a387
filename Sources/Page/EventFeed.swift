// SPDX-License-Identifier: Apache-2.0

import Gateway
import Synchronization

/// Server-sent events on their way to a visitor. Only the newest event of each state waits, and a limited number of
/// lines. A visitor who reads nothing costs no more memory.
final class EventFeed: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case session, status, heard, window, update, progress
    }

    /// Lines of the log that may wait.
    static let maximumLines = 300
    /// The library's value for the end of a stream (MHD_CONTENT_READER_END_OF_STREAM).
    private static let endOfStream = -1

    private struct State {
        var states: [Kind: [UInt8]] = [:]
        var lines: [String] = []
        var missed = 0
        var isBeatDue = false
        /// The unsent rest of an event. The first event sets the reconnection time, in milliseconds.
        var rest: ArraySlice<UInt8> = Array("retry: 3000\n\n".utf8)[...]
        var resume: (@Sendable () -> Void)?
        var isEnded = false
    }

    /// The session of the visitor; nil without sessions.
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

    /// Sends a comment, so that a broken connection is noticed.
    func beat() { change { $0.isBeatDue = true } }

    func end() { change { $0.isEnded = true } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            // Under the lock, as the suspension is: neither overtakes the other.
            state.resume.take()?()
        }
    }

    /// Writes waiting octets; 0 after `suspend` if none wait, and −1 after the end. The feed calls `resume` once octets
    /// wait again.
    func write(
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
