// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Says when "now" is, and how far that can be trusted.
package protocol WallClock: Sendable {
    /// Cheap enough to be called for each reading.
    func stamp() -> TimeStamp
    /// How readings of this boot that have no wall time get theirs; nil while nothing is known.
    var anchor: ClockAnchor? { get }
    /// What waits and deadlines are measured with.
    var now: MonotonicTime { get }
    /// What the system's clock shows, right or wrong, in milliseconds since 1970 UTC.
    var systemMilliseconds: Int64 { get }
}

extension WallClock {
    package var now: MonotonicTime { .now }
    package var systemMilliseconds: Int64 { KernelClock.unixMilliseconds() }

    package var anchor: ClockAnchor? {
        let stamp = stamp()
        return stamp.unixMilliseconds.map { unix in
            ClockAnchor(
                offset: unix.subtractingSaturated(stamp.uptimeMilliseconds), uptime: stamp.uptimeMilliseconds)
        }
    }
}
