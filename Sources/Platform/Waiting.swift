// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Synchronization

/// Waits for an answer that comes by a call back, or never.
package enum Waiting {
    /// - Returns: nil when `ask` has not called back within `limit`.
    package static func answer<Answer: Sendable>(
        within limit: Duration, _ ask: (@escaping @Sendable (Answer) -> Void) -> Void
    ) async -> Answer? {
        await withCheckedContinuation { continuation in
            // A timer, and not `asyncAfter`, which would hold each answered wait until its limit.
            let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
            let end = OneEnd(continuation, timer)
            timer.setEventHandler { end.end(nil) }
            timer.schedule(deadline: .now() + .milliseconds(Int(clamping: limit.wholeMilliseconds)))
            timer.activate()
            ask { end.end($0) }
        }
    }

    private final class OneEnd<Answer: Sendable>: Sendable {
        private let waiting: Mutex<CheckedContinuation<Answer?, Never>?>
        /// A dispatch object is safe in any thread; its protocol does not say so.
        nonisolated(unsafe) private let timer: any DispatchSourceTimer

        init(_ waiting: CheckedContinuation<Answer?, Never>, _ timer: any DispatchSourceTimer) {
            self.waiting = Mutex(waiting)
            self.timer = timer
        }

        func end(_ answer: Answer?) {
            let continuation = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            guard let continuation else { return }
            timer.cancel()
            continuation.resume(returning: answer)
        }
    }
}
