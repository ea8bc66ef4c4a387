// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

/// Gives each test its own thread, for tests that block their thread while they wait.
///
/// The pool has one thread for each processor. A few blocking tests would block all others, and even the tasks for which they
/// wait.
package struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let executor = ThreadExecutor()
        try await withTaskExecutorPreference(executor) { try await function() }
        withExtendedLifetime(executor) {}
    }
}

extension Trait where Self == OwnThread {
    /// See ``OwnThread``.
    package static var ownThread: Self { OwnThread() }
}

/// A thread that runs its jobs in order, for the lifetime of this object.
private final class ThreadExecutor: TaskExecutor {
    private final class Queue: Sendable {
        private let state = Mutex<(jobs: [UnownedJob], isOver: Bool)>(([], false))
        private let bell = DispatchSemaphore(value: 0)

        func add(_ job: UnownedJob) {
            state.withLock { $0.jobs.append(job) }
            bell.signal()
        }

        func finish() {
            state.withLock { $0.isOver = true }
            bell.signal()
        }

        /// Nil: no job comes any more.
        func next() -> UnownedJob? {
            while true {
                bell.wait()
                let (job, isOver) = state.withLock { state in
                    (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isOver)
                }
                if let job { return job }
                if isOver { return nil }
            }
        }
    }

    private let queue = Queue()

    init() {
        let (queue, reference) = (queue, asUnownedTaskExecutor())
        Thread.detachNewThread { while let job = queue.next() { job.runSynchronously(on: reference) } }
    }

    deinit { queue.finish() }

    func enqueue(_ job: consuming ExecutorJob) { queue.add(UnownedJob(job)) }
}
