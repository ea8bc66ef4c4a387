// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The state of the clock, as `martlet clock` shows it.
package struct ClockStatus: Codable, Equatable, Sendable {
    /// `synced`, `holdover` or `unsynced`.
    package var state: String
    /// The source that vouches for the time; nil while there is none.
    package var source: ClockSource?
    /// Milliseconds since 1970 UTC: the time that readings get now.
    package var unixMs: Int64?
    /// Bound of the error of the wall time, in milliseconds; nil: unknown.
    package var errorMs: Int64?
    /// Unix time minus uptime, in milliseconds.
    package var offsetMs: Int64?
    /// Seconds since a source vouched for the wall time.
    package var ageS: Int64?
    package var boot: String
    /// Milliseconds since boot, suspended time included.
    package var uptimeMs: Int64
    /// The system's clock, right or wrong.
    package var systemUnixMs: Int64
    /// The kernel reports its clock as synchronised, and the bound of its error.
    package var kernelSynchronized: Bool
    package var kernelErrorMs: Int64
    package var leapSecond: LeapSecond
    /// How often the system's clock was set since the gateway started, and by how many milliseconds the last time.
    package var steps: Int
    package var lastStepMs: Int64?
}

extension ClockMachine {
    mutating func status(at sample: ClockSample) -> ClockStatus {
        let stamp = stamp(at: sample)
        return ClockStatus(
            state: stamp.quality.rawValue, source: base?.source, unixMs: stamp.unixMilliseconds,
            errorMs: base?.error(at: sample.uptime), offsetMs: base?.offset,
            // The journal does not know when it learned the offset.
            ageS: base.flatMap {
                $0.source == .journal ? nil : max(sample.uptime.subtractingSaturated($0.learnedAt), 0) / 1_000
            },
            boot: boot, uptimeMs: sample.uptime, systemUnixMs: sample.unix, kernelSynchronized: word.isSynchronized,
            kernelErrorMs: word.maximumError, leapSecond: word.leap, steps: steps, lastStepMs: lastStep)
    }
}
