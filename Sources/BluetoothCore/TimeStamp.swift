// SPDX-License-Identifier: Apache-2.0

/// The time of reception: always by the boot's own clock, and by the wall clock if the wall clock is known to be right.
package struct TimeStamp: Equatable, Sendable {
    /// The first 8 hexadecimal digits of the kernel's boot id; the payload's `boot`.
    package var boot: String
    /// Milliseconds since boot, suspended time included (CLOCK_BOOTTIME); the payload's `up_ms`.
    package var uptimeMilliseconds: Int64
    /// Milliseconds since 1970 UTC; nil when the wall clock was not to be trusted.
    package var unixMilliseconds: Int64?
    package var quality: ClockQuality

    package init(boot: String, uptimeMilliseconds: Int64, unixMilliseconds: Int64?, quality: ClockQuality) {
        self.boot = boot
        self.uptimeMilliseconds = uptimeMilliseconds
        self.unixMilliseconds = unixMilliseconds
        self.quality = quality
    }
}

/// How far the wall time of a reading can be trusted; the payload's `clock`.
package enum ClockQuality: String, Sendable {
    /// The kernel reports a synchronised clock.
    case synced
    /// The clock was synchronised in this boot, and no longer is.
    case holdover
    /// Computed after the fact from the boot's own clock.
    case estimated
    /// Not known: no `ts` is given.
    case unsynced
}
