// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Platform
import Synchronization

/// Where readings come faster than the disk takes them, the full queue holds up who hands them over, and with that the
/// radio: the sensors keep what memory has no room for.
///
/// That is for as long as transactions succeed. A disk that takes nothing, or hangs for longer than
/// ``JournalConfiguration/longestHang``, holds up nobody until one has succeeded: what it does not take is dropped and counted.
extension Journal {
    /// Returns when the queue has room for so many readings, or will have none by the deadline. Not for the journal's queue.
    package func waitForRoom(_ count: Int, until deadline: MonotonicTime) {
        while let (waiter, end) = waiter(forRoom: count) {
            let patience = max(min(deadline, end) - clock.now(), .zero)
            guard waiter.wait(timeout: .now() + .nanoseconds(Int(patience.wholeNanoseconds))) == .timedOut else {
                continue
            }
            return state.withLock { $0.callers.giveUp(waiter) }
        }
    }

    /// Holds up nobody any more, as before the radio is stopped.
    package func endHoldingBack() {
        state.withLock { state in
            state.drops.beginAnew()
            state.callers.end()
        }
    }

    private func waiter(forRoom count: Int) -> (DispatchSemaphore, until: MonotonicTime)? {
        state.withLock { state in
            let waiter = state.waiter(forRoom: count, configuration, at: clock.now())
            // What waits for its time, or for more to share a transaction, is what takes the room.
            if waiter != nil { keep(state.commits.hurry()) }
            return waiter
        }
    }
}
