// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The time without a value after which a sensor is late, and silent. All times in milliseconds.
package struct SilenceLimits: Equatable, Sendable {
    /// Nothing shorter is silence.
    package var least: Int64 = 60_000
    /// The usual intervals of silence.
    package var factor = Int64(SensorDescription.silentIntervals)
    /// Silence where nothing is known of the usual interval: a button may have nothing to say for long.
    package var unknown: Int64 = 600_000
    /// Nothing shorter is late.
    package var leastLate: Int64 = 30_000
    /// The usual intervals of a late value.
    package var lateFactor: Int64 = 3
    /// The radio may fail for so long before that says something of sensors: a controller is set up again in seconds.
    package var radio: Int64 = 30_000
    /// The radio may hear nobody for so long, and still counts as a radio that hears.
    package var pause: Int64 = 5_000
    /// A radio that hears nobody has found its fault after so long, or has none.
    package var hearing: Int64 = 120_000

    package init() {}

    func limit(usual: Int64?) -> Int64 { Self.product(usual, factor, least) ?? unknown }

    /// Nil where nothing is known of the usual interval.
    func lateLimit(usual: Int64?) -> Int64? { Self.product(usual, lateFactor, leastLate) }

    private static func product(_ usual: Int64?, _ factor: Int64, _ least: Int64) -> Int64? {
        usual.map { usual in
            let (long, overflow) = usual.multipliedReportingOverflow(by: factor)
            return overflow ? .max : max(least, long)
        }
    }
}
