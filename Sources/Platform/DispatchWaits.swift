// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch

extension DispatchSemaphore {
    /// Waits for a signal, no longer than `limit`. Collector, journal and publisher wait by this function alone, without a
    /// clock.
    ///
    /// - Returns: Whether the signal came.
    package func wait(within limit: Duration) -> Bool {
        wait(timeout: .now() + .nanoseconds(Int(clamping: limit.wholeNanoseconds))) == .success
    }
}

extension DispatchGroup {
    /// Waits until the group is empty, no longer than `limit`.
    ///
    /// - Returns: Whether the group is empty.
    package func wait(within limit: Duration) -> Bool {
        wait(timeout: .now() + .nanoseconds(Int(clamping: limit.wholeNanoseconds))) == .success
    }
}

extension DispatchQueue {
    /// Runs `work` after a pause.
    package func run(after pause: Duration, _ work: @escaping @Sendable () -> Void) {
        asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: pause.wholeNanoseconds)), execute: work)
    }
}
