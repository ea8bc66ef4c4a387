// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Readings
import Synchronization

/// Where readings come faster than the disk takes them, the full queue holds up who hands them over, and with that the
/// radio: the sensors keep what memory has no room for.
///
/// That is for as long as transactions succeed. A disk that takes nothing, or hangs for longer than somebody has patience,
/// holds up nobody again until one has: what it does not take is dropped and counted.
extension Journal {
    /// Returns when the queue has room for so many readings, or will have none in time.
    func waitForRoom(_ count: Int, _ patience: Duration) {
        guard patience > .zero else { return }
        let deadline = DispatchTime.now() + .milliseconds(Int(patience.wholeMilliseconds))
        while let waiter = waiter(forRoom: count) {
            guard waiter.wait(timeout: deadline) == .timedOut else { continue }
            return state.withLock { $0.giveUp(waiter) }
        }
    }

    private func waiter(forRoom count: Int) -> DispatchSemaphore? {
        state.withLock { state in
            guard let waiter = state.waiter(forRoom: count, of: configuration.queueCapacity) else { return nil }
            // What waits for its time, or for more to share a transaction, is what takes the room.
            schedule(&state, .immediate, after: .zero)
            return waiter
        }
    }
}
