// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Platform
import Synchronization

/// Where readings come faster than the disk takes them, the full queue holds up who hands them over, and with that the
/// radio: the sensors keep what memory has no room for.
///
/// That is for as long as transactions succeed. A disk that takes nothing, or hangs for longer than somebody has patience,
/// holds up nobody until one has succeeded: what it does not take is dropped and counted.
extension Journal {
    /// Returns when the queue has room for so many readings, or will have none by the deadline. Not for the journal's queue.
    package func waitForRoom(_ count: Int, until deadline: MonotonicTime) {
        var began: Int?
        while let (waiter, commits) = waiter(forRoom: count) {
            let patience = max(deadline - .now, .zero)
            // Who begins when it is too late says nothing about the disk.
            if patience > .zero, began == nil { began = commits }
            guard waiter.wait(timeout: .now() + .nanoseconds(Int(patience.wholeNanoseconds))) == .timedOut else {
                continue
            }
            return state.withLock { [began] in $0.giveUp(waiter, since: began) }
        }
    }

    /// Holds up nobody any more, as before the radio is stopped.
    package func endHoldingBack() {
        state.withLock { state in
            state.holdsBack = false
            state.wakeWaiters()
        }
    }

    private func waiter(forRoom count: Int) -> (DispatchSemaphore, commits: Int)? {
        state.withLock { state in
            guard let waiter = state.waiter(forRoom: count, of: configuration.queueCapacity) else { return nil }
            // What waits for its time, or for more to share a transaction, is what takes the room.
            schedule(&state, .immediate, after: .zero)
            return (waiter, state.commits)
        }
    }
}
