// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import HCITransport
import Synchronization

/// Writes the files of a ``WriteQueue`` on a thread of its own, one after the other. The number of files bounds the
/// queue, however slow the disk is and whatever peers do. Any thread.
package final class DiskWriter<Key: Hashable & Sendable>: Sendable {
    /// Writes one file with its content at the time of the call. On the writer's thread.
    package typealias Write = @Sendable (Key) -> Void

    private struct State {
        var queue: WriteQueue<Key>
        var isTurnComing = false
        /// When the nearest later turn comes.
        var alarm: MonotonicTime?
    }

    private let state: Mutex<State>
    private let disk: DispatchQueue

    package init(label: String, pace: WritePace) {
        disk = DispatchQueue(label: label)
        state = Mutex(State(queue: WriteQueue(pace: pace)))
    }

    /// The number of waiting files.
    package var count: Int { state.withLock { $0.queue.count } }

    /// The file has to be written.
    package func record(_ key: Key, _ urgency: WriteQueue<Key>.Urgency, _ write: @escaping Write) {
        state.withLock { $0.queue.record(key, urgency, at: MonotonicClock.now) }
        arm(write)
    }

    /// Runs `body` on the writer's thread, between two files, and waits for its end.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result { try disk.sync(execute: body) }

    /// Runs `body` on the writer's thread, between two files.
    package func runLater(_ body: @escaping @Sendable () -> Void) { disk.async(execute: body) }

    /// Calls `body` on the writer's thread after all waiting files of urgency `first`.
    package func afterFirst(_ write: @escaping Write, _ body: @escaping @Sendable () -> Void) {
        disk.async { [self] in
            let number = state.withLock { $0.queue.nextNumber }
            while let key = take(before: number, atLeast: .first) { write(key) }
            body()
        }
    }

    /// Waits until every file noted before is written once. After `limit`, leaves out files that may be written later,
    /// and returns their number.
    @discardableResult
    package func finish(within limit: Duration? = nil, _ write: Write) -> Int {
        let end = limit.map { MonotonicClock.now + $0 }
        return disk.sync {
            let number = state.withLock { $0.queue.nextNumber }
            while true {
                let isLate = end.map { MonotonicClock.now >= $0 } ?? false
                guard let key = take(before: number, atLeast: isLate ? .now : .later) else { break }
                write(key)
            }
            return end == nil ? 0 : count
        }
    }

    private func take(before number: UInt64, atLeast urgency: WriteQueue<Key>.Urgency) -> Key? {
        state.withLock { $0.queue.next(before: number, atLeast: urgency, at: MonotonicClock.now) }
    }

    /// Writes one file a turn: other work on the thread waits for one file at most.
    private func turn(_ write: @escaping Write) {
        let now = MonotonicClock.now
        let key = state.withLock { state in
            if let alarm = state.alarm, alarm <= now { state.alarm = nil }
            return state.queue.next(at: now)
        }
        if let key { write(key) }
        arm(write)
    }

    private func arm(_ write: @escaping Write) {
        let now = MonotonicClock.now
        let wait = state.withLock { state -> Duration? in
            guard let due = state.queue.deadline else { return nil }
            guard due > now else {
                defer { state.isTurnComing = true }
                return state.isTurnComing ? nil : .zero
            }
            if let alarm = state.alarm, alarm <= due { return nil }
            state.alarm = due
            return due - now
        }
        guard let wait else { return }
        guard wait > .zero else {
            return disk.async { [self] in
                state.withLock { $0.isTurnComing = false }
                turn(write)
            }
        }
        // Rounded up, because a turn that comes too early finds nothing.
        disk.asyncAfter(deadline: .now() + .milliseconds(Int(wait / .milliseconds(1)) + 1)) { [self] in turn(write) }
    }
}
