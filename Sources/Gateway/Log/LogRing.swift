// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The newest lines of the log, for a person who sets the gateway up without a terminal. Bounded in lines, in their
/// length and in followers.
package final class LogRing: Sendable {
    package static let capacity = 256
    /// Octets of a line; the rest is cut.
    package static let lineLength = 512
    /// The newest warnings are kept apart: they outlive the process.
    package static let warnings = 128
    /// Followers at the same time; a further follower gets a stream that has ended.
    package static let followers = 16
    /// Lines that may wait for a slow follower; the oldest lines are dropped.
    private static let backlog = 64

    private struct State {
        var lines: [String] = []
        /// The index of the oldest line.
        var start = 0
        /// The newest warnings of this run and of earlier runs, oldest first.
        var warnings: [String] = []
        /// The number of warnings of this run.
        var warningCount: UInt64 = 0
        var followers: [UInt64: AsyncStream<String>.Continuation] = [:]
        var count: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// - Parameter isWarning: The line is a warning, or worse.
    package func append(_ line: String, isWarning: Bool = false) {
        let line = Self.cut(line)
        let followers = state.withLock { state in
            if isWarning {
                state.warnings.append(line)
                if state.warnings.count > Self.warnings { state.warnings.removeFirst() }
                state.warningCount &+= 1
            }
            if state.lines.count < Self.capacity {
                state.lines.append(line)
            } else {
                state.lines[state.start] = line
                state.start = (state.start + 1) % Self.capacity
            }
            return Array(state.followers.values)
        }
        for follower in followers { follower.yield(line) }
    }

    /// The newest lines, oldest first.
    package func tail(_ count: Int) -> [String] {
        state.withLock { state in
            let all = state.lines[state.start...] + state.lines[..<state.start]
            return Array(all.suffix(max(count, 0)))
        }
    }

    /// The newest warnings of this run and of earlier runs, oldest first; and how many there were in this run.
    var warnings: (lines: [String], count: UInt64) { state.withLock { ($0.warnings, $0.warningCount) } }

    /// Puts warnings of earlier runs before the lines of this run, as far as there is room.
    func resume(_ former: [String]) {
        let former = former.suffix(Self.warnings).map(Self.cut)
        state.withLock { state in
            let lines = state.lines[state.start...] + state.lines[..<state.start]
            state.lines = Array((former + lines).suffix(Self.capacity))
            state.start = 0
            state.warnings = Array((former + state.warnings).suffix(Self.warnings))
        }
    }

    /// New lines, until the reader goes away.
    package func follow() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        let number = state.withLock { state -> UInt64? in
            guard state.followers.count < Self.followers else { return nil }
            state.count += 1
            state.followers[state.count] = continuation
            return state.count
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.followers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Cuts between characters.
    private static func cut(_ line: String) -> String {
        guard line.utf8.count > lineLength else { return line }
        var octets = 0
        return String(
            line.prefix { character in
                octets += character.utf8.count
                return octets <= lineLength
            })
    }
}
