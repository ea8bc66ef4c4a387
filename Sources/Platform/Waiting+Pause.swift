// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Waiting {
    /// Waits until `time` is over or the task is cancelled. A cancelled wait holds no memory. A cancelled `Task.sleep`
    /// holds several hundred octets until its deadline.
    ///
    /// - Returns: False if the task was cancelled first.
    @discardableResult
    package static func pause(for time: Duration) async -> Bool {
        let interruption = Interruption()
        let cancelled: Void? = await withTaskCancellationHandler {
            await answer(within: time) { interruption.arm($0) }
        } onCancel: {
            interruption.strike()
        }
        return cancelled == nil
    }

    /// Ends a pause, also one that begins after the cancellation.
    private final class Interruption: Sendable {
        private struct State {
            var isStruck = false
            var end: (@Sendable (()) -> Void)?
        }

        private let state = Mutex(State())

        func arm(_ end: @escaping @Sendable (()) -> Void) {
            let isStruck = state.withLock { state in
                if !state.isStruck { state.end = end }
                return state.isStruck
            }
            if isStruck { end(()) }
        }

        func strike() {
            let end = state.withLock { state in
                state.isStruck = true
                return state.end.take()
            }
            end?(())
        }
    }
}
