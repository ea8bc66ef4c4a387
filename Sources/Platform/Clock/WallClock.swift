// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Gives the present time, and how far it can be trusted.
package protocol WallClock: Sendable {
    /// Cheap enough to be called for each reading.
    func stamp() -> TimeStamp
    /// Gives wall times to readings of this boot that have none; nil while no offset is known.
    var anchor: ClockAnchor? { get }
    /// The time for waits and deadlines.
    var now: MonotonicTime { get }
    /// The time of the system's clock, right or wrong, in milliseconds since 1970 UTC.
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
