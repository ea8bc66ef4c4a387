// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Platform
import Synchronization

/// The answers in progress for the server's thread. Their number is limited, whether or not a client still waits.
final class ControlOutbox: Sendable {
    private struct State {
        /// Numbers requests, so that a late answer reaches no other client.
        var count: UInt64 = 0
        var underway = 0
        var answers: [UInt64: [UInt8]] = [:]
    }

    private let limit: Int
    private let bell: WakeUp
    private let state = Mutex(State())

    init(limit: Int, bell: WakeUp) {
        self.limit = limit
        self.bell = bell
    }

    /// Starts the answer to a request; nil if too many requests wait.
    func begin(
        _ line: [UInt8], _ handler: @escaping ControlServer.Handler
    ) -> (number: UInt64, task: Task<Void, Never>)? {
        let number = state.withLock { state -> UInt64? in
            guard state.underway < limit else { return nil }
            state.underway += 1
            state.count += 1
            return state.count
        }
        guard let number else { return nil }
        let task = Task(executorPreference: ControlExecutor.shared) { [self] in
            let answer = await handler(line)
            state.withLock { state in
                state.underway -= 1
                // A cancelled task has no waiting client.
                if !Task.isCancelled { state.answers[number] = answer }
            }
            bell.signal()
        }
        return (number, task)
    }

    func take() -> [UInt64: [UInt8]] {
        state.withLock { state in
            defer { state.answers = [:] }
            return state.answers
        }
    }
}

/// Runs answers on threads of their own: the gateway answers even if other tasks keep all shared threads busy.
final class ControlExecutor: TaskExecutor {
    static let shared = ControlExecutor()

    private let queue = DispatchQueue(label: "martlet.control", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
