// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A time with a meaning after its boot: by the boot's own clock, and by a trusted wall clock.
package struct LimitTime: Codable, Equatable, Sendable {
    /// The first 8 digits of the kernel's boot id.
    package var boot: String
    /// Milliseconds since that boot.
    package var upMs: Int64
    /// Milliseconds since 1970; nil while the clock was not to be trusted.
    package var unixMs: Int64?

    package init(boot: String, upMs: Int64, unixMs: Int64?) {
        (self.boot, self.upMs, self.unixMs) = (boot, upMs, unixMs)
    }

    package init(_ stamp: TimeStamp) {
        self.init(boot: stamp.boot, upMs: stamp.uptimeMilliseconds, unixMs: stamp.unixMilliseconds)
    }

    /// Another time of this boot's clock.
    package func at(_ upMs: Int64) -> LimitTime {
        LimitTime(
            boot: boot, upMs: upMs,
            unixMs: unixMs.map { $0.addingSaturated(upMs.subtractingSaturated(self.upMs)) })
    }

    /// The time on the clock of the boot of `now`: negative for a time before that boot; nil where nothing relates the two.
    package func uptime(on now: LimitTime) -> Int64? {
        if boot == now.boot { return upMs }
        guard let unixMs, let wall = now.unixMs else { return nil }
        return now.upMs.subtractingSaturated(max(wall.subtractingSaturated(unixMs), 0))
    }
}
