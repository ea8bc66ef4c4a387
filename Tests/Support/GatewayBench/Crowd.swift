// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// Threads that repeat one action until the test ends them.
final class Crowd: Sendable {
    private let isOver = Atomic<Bool>(false)
    private let rounds = Atomic<Int>(0)
    private let threads = DispatchGroup()

    func add(_ count: Int = 1, _ body: @escaping @Sendable () -> Void) {
        for _ in 0..<count {
            threads.enter()
            Thread.detachNewThread { [self] in
                repeat {
                    body()
                    rounds.add(1, ordering: .relaxed)
                } while !isOver.load(ordering: .relaxed)
                threads.leave()
            }
        }
    }

    /// Ends all threads; returns the number of repetitions.
    @discardableResult
    func end() -> Int {
        isOver.store(true, ordering: .relaxed)
        threads.wait()
        return rounds.load(ordering: .relaxed)
    }
}
