// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Synchronization

/// Asks a part of the gateway that may be busy for long, or hang. A caller waits for a limited time, without a thread.
/// At most one thread hangs with the part, however many callers ask.
final class Inquiry<Answer: Sendable>: Sendable {
    private typealias Waiting = CheckedContinuation<Answer?, Never>

    private struct State {
        /// `current`: callers of the question in progress. `next`: later callers, who need a newer answer.
        var current: [UInt64: Waiting] = [:]
        var next: [UInt64: Waiting] = [:]
        var isAsking = false
        var count: UInt64 = 0
        var last: Answer?
    }

    private let ask: @Sendable () -> Answer
    private let queue: DispatchQueue
    private let state = Mutex(State())

    init(_ label: String, _ ask: @escaping @Sendable () -> Answer) {
        self.ask = ask
        queue = DispatchQueue(label: label, qos: .utility)
    }

    /// The last answer.
    var last: Answer? { state.withLock { $0.last } }

    /// The number of waiting callers.
    var waiting: Int { state.withLock { $0.current.count + $0.next.count } }

    /// The present answer; nil if it takes longer than `limit`.
    func answer(within limit: Duration) async -> Answer? {
        await withCheckedContinuation { waiting in
            let (number, begins) = state.withLock { state in
                state.count += 1
                state.next[state.count] = waiting
                defer { state.isAsking = true }
                return (state.count, !state.isAsking)
            }
            if begins { queue.async { [self] in run() } }
            let deadline = DispatchTime.now() + .milliseconds(Int(clamping: limit.wholeMilliseconds))
            DispatchQueue.global(qos: .utility).asyncAfter(deadline: deadline) { [weak self] in self?.giveUp(number) }
        }
    }

    private func run() {
        repeat {
            state.withLock { ($0.current, $0.next) = ($0.next, [:]) }
            let answer = ask()
            let waiting = state.withLock { state in
                defer { state.current = [:] }
                state.last = answer
                return state.current
            }
            for waiting in waiting.values { waiting.resume(returning: answer) }
        } while state.withLock { state in
            state.isAsking = !state.next.isEmpty
            return state.isAsking
        }
    }

    private func giveUp(_ number: UInt64) {
        let waiting = state.withLock { $0.current.removeValue(forKey: number) ?? $0.next.removeValue(forKey: number) }
        waiting?.resume(returning: nil)
    }
}
