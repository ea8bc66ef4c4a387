// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Platform
import Synchronization

/// If readings come faster than the disk takes them, the full queue holds up the caller, and with the caller the radio:
/// the sensors keep the readings that memory has no room for.
///
/// The holding up lasts as long as transactions succeed. A disk that takes nothing, or hangs for longer than
/// ``JournalConfiguration/longestHang``, holds up no caller until a transaction has succeeded: readings without room
/// are dropped and counted.
extension Journal {
    /// Returns when the queue has room for `count` readings, or cannot have room by the deadline. Not for the journal's
    /// queue.
    package func waitForRoom(_ count: Int, until deadline: MonotonicTime) {
        while let (waiter, end) = waiter(forRoom: count) {
            let patience = max(min(deadline, end) - clock.now(), .zero)
            guard !waiter.wait(within: patience) else { continue }
            return state.withLock { $0.callers.giveUp(waiter) }
        }
    }

    /// Ends the holding up of callers, before the radio is stopped.
    package func endHoldingBack() {
        state.withLock { state in
            state.drops.beginAnew()
            state.callers.end()
        }
    }

    private func waiter(forRoom count: Int) -> (DispatchSemaphore, until: MonotonicTime)? {
        state.withLock { state in
            let waiter = state.waiter(forRoom: count, configuration, at: clock.now())
            // Rows that wait for the interval, or for more rows, take up the room: commit them now.
            if waiter != nil { keep(state.commits.hurry()) }
            return waiter
        }
    }
}
