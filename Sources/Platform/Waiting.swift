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
            let end = OneEnd(continuation)
            ask { end.end($0) }
            let deadline = DispatchTime.now() + .milliseconds(Int(clamping: limit.wholeMilliseconds))
            DispatchQueue.global(qos: .utility).asyncAfter(deadline: deadline) { end.end(nil) }
        }
    }

    private final class OneEnd<Answer: Sendable>: Sendable {
        private let waiting: Mutex<CheckedContinuation<Answer?, Never>?>

        init(_ waiting: CheckedContinuation<Answer?, Never>) { self.waiting = Mutex(waiting) }

        func end(_ answer: Answer?) {
            waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }?.resume(returning: answer)
        }
    }
}
