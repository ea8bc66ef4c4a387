// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch

/// Callers that wait because the queue is full; a value. The end of a transaction wakes them.
struct HeldCallers {
    private var waiters: [DispatchSemaphore] = []
    /// A full queue may hold up callers.
    private(set) var holdsBack = true
    /// The moment since which the queue is full and no transaction has taken readings.
    private var fullSince: MonotonicTime?

    var isEmpty: Bool { waiters.isEmpty }

    /// The semaphore to wait for, and until when; nil if no caller has to wait.
    ///
    /// - Parameter patience: How long the disk may take nothing before callers are no longer held up.
    mutating func hold(hasRoom: Bool, isFailing: Bool, patience: Duration, at now: MonotonicTime) -> (
        DispatchSemaphore, until: MonotonicTime
    )? {
        guard !hasRoom else {
            fullSince = nil
            return nil
        }
        let since = fullSince ?? now
        fullSince = since
        let end = since + patience
        guard holdsBack, !isFailing, now < end else { return nil }
        let waiter = DispatchSemaphore(value: 0)
        waiters.append(waiter)
        return (waiter, end)
    }

    mutating func wake() {
        for waiter in waiters { waiter.signal() }
        waiters.removeAll()
    }

    mutating func giveUp(_ waiter: DispatchSemaphore) { waiters.removeAll { $0 === waiter } }

    /// A transaction has ended.
    ///
    /// - Parameter tookReadings: The transaction wrote readings.
    mutating func wrote(tookReadings: Bool) {
        if tookReadings { fullSince = nil }
        wake()
    }

    /// Lets all callers go, and holds up no more.
    mutating func end() {
        holdsBack = false
        wake()
    }
}
