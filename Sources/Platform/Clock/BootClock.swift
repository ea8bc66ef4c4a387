// SPDX-License-Identifier: Apache-2.0

/// The clock that the age of rows is measured with: of this boot, since wall clocks may be wrong.
package struct BootClock: Sendable {
    /// First 8 digits of the boot id.
    package var boot: String
    package var uptimeMilliseconds: @Sendable () -> Int64

    package init(boot: String, uptimeMilliseconds: @escaping @Sendable () -> Int64) {
        self.boot = boot
        self.uptimeMilliseconds = uptimeMilliseconds
    }

    package static var system: BootClock {
        BootClock(boot: KernelClock.boot, uptimeMilliseconds: KernelClock.uptimeMilliseconds)
    }
}
