// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A caller that waits for one answer. The first of answer, cancellation and timeout decides; later ones have no effect.
final class PendingCall<Value: Sendable>: Sendable {
    private enum State {
        case open(CheckedContinuation<Value, any Error>?)
        case decided(Result<Value, any Error>)
        case over
    }

    private let changing = Mutex(State.open(nil))
    private let wasAbandoned = Atomic(false)

    /// False if the call was decided already.
    @discardableResult
    func finish(_ result: Result<Value, any Error>) -> Bool {
        let (isFirst, waiting) = changing.withLock { state -> (Bool, CheckedContinuation<Value, any Error>?) in
            guard case .open(let waiting) = state else { return (false, nil) }
            state = waiting == nil ? .decided(result) : .over
            return (true, waiting)
        }
        waiting?.resume(with: result)
        return isFirst
    }

    /// Starts an operation, and waits until the operation ends, the timeout passes or the task is cancelled.
    ///
    /// - Parameters:
    ///   - abandoned: withdraws the operation after a cancellation or timeout; may be called twice.
    ///   - start: asks for the answer, which comes by ``finish(_:)``.
    nonisolated(nonsending) static func run(
        timeout: Duration?, abandoned: @escaping @Sendable (PendingCall) -> Void = { _ in },
        _ start: (PendingCall) -> Void
    ) async throws -> Value {
        let call = PendingCall()
        let timer = timeout.map { call.fail(after: $0, abandoned) }
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            if call.isOpen { start(call) }
            // The call was given up during its start: the first `abandoned` may have come too early.
            if call.wasAbandoned.load(ordering: .acquiring) { abandoned(call) }
            return try await withCheckedThrowingContinuation { call.wait($0) }
        } onCancel: {
            call.abandon(CBError(.operationCancelled), abandoned)
        }
    }

    /// True until the call has an answer or is given up.
    var isOpen: Bool {
        changing.withLock { state in
            if case .open = state { true } else { false }
        }
    }

    private func abandon(_ error: CBError, _ abandoned: (PendingCall) -> Void) {
        guard finish(.failure(error)) else { return }
        wasAbandoned.store(true, ordering: .releasing)
        abandoned(self)
    }

    private func wait(_ continuation: CheckedContinuation<Value, any Error>) {
        let result = changing.withLock { state -> Result<Value, any Error>? in
            guard case .decided(let result) = state else {
                state = .open(continuation)
                return nil
            }
            state = .over
            return result
        }
        if let result { continuation.resume(with: result) }
    }

    private func fail(
        after timeout: Duration, _ abandoned: @escaping @Sendable (PendingCall) -> Void
    ) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        let (seconds, attoseconds) = timeout.components
        timer.schedule(deadline: .now() + max(0, Double(seconds) + Double(attoseconds) / 1e18))
        timer.setEventHandler { [self] in
            abandon(CBError(.connectionTimeout, detail: "no answer within \(timeout)"), abandoned)
        }
        timer.activate()
        return timer
    }
}
