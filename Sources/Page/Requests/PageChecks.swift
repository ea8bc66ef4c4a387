// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Gateway
import Operations
import Synchronization

/// Checks visitors' texts: one at a time, on a queue of their own, each with a time limit.
final class PageChecks: Sendable {
    /// From the request to its answer.
    static let patience: Duration = .seconds(10)
    /// The check in progress, and the waiting checks.
    static let maximum = 4

    private let queue = DispatchQueue(label: "martlet.page.check", qos: .background)
    private let processor: PageProcessor
    private let underway = Mutex(0)

    init(_ processor: PageProcessor) { self.processor = processor }

    /// Makes a check after all earlier checks. Throws busy if too many checks wait, or if the turn comes too late.
    ///
    /// - Parameter check: Gets the moment at which it has to end.
    @discardableResult
    func run<Result: Sendable>(
        within patience: Duration = patience, _ check: @escaping @Sendable (ContinuousClock.Instant) -> Result
    ) async throws(OperationError) -> Result {
        let deadline = ContinuousClock.now + patience
        guard enter() else { throw Self.busy }
        let result: Result? = await withCheckedContinuation { continuation in
            queue.async { [self] in
                // An overdue check fails here. The time is for later checks.
                let result = ContinuousClock.now < deadline ? processor.run { check(deadline) } : nil
                leave()
                continuation.resume(returning: result)
            }
        }
        guard let result else { throw Self.busy }
        return result
    }

    /// Takes a place; false without a free place.
    func enter() -> Bool {
        underway.withLock { count in
            guard count < Self.maximum else { return false }
            count += 1
            return true
        }
    }

    func leave() { underway.withLock { $0 -= 1 } }

    private static let busy = OperationError(.busy, "other texts are being checked: try again in a moment")
}
