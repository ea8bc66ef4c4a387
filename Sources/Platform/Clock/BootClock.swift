// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The clock for the age of rows, and for waits: the time of this boot, because wall clocks may be wrong.
package struct BootClock: Sendable {
    /// First 8 digits of the boot id.
    package var boot: String
    package var uptimeMilliseconds: @Sendable () -> Int64
    package var now: @Sendable () -> MonotonicTime
    /// Unix time by the system's clock, right or wrong.
    package var unixMilliseconds: @Sendable () -> Int64

    package init(
        boot: String, now: @escaping @Sendable () -> MonotonicTime = { .now },
        unixMilliseconds: @escaping @Sendable () -> Int64 = KernelClock.unixMilliseconds,
        uptimeMilliseconds: @escaping @Sendable () -> Int64
    ) {
        self.boot = boot
        self.now = now
        self.unixMilliseconds = unixMilliseconds
        self.uptimeMilliseconds = uptimeMilliseconds
    }

    package static var system: BootClock {
        BootClock(boot: KernelClock.boot, uptimeMilliseconds: KernelClock.uptimeMilliseconds)
    }
}
