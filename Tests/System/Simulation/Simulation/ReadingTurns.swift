// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The schedule of a simulated gateway's sensors, whose readings fall due one after the other; a value.
///
/// If readings fall due while the gateway cannot take them, only the newest reading of each sensor is made. The other
/// readings are never made, have no number, and are counted in ``skipped``.
struct ReadingTurns {
    private let sensors: Int
    /// Time from one reading to the next.
    private let gap: Duration
    /// Time from the first connection to the first reading.
    private let phase: Duration
    /// The sensor of the next reading.
    private var turn = 0
    /// When the next reading is due; nil before the first connection.
    private(set) var next: MonotonicTime?
    private(set) var made: Int64 = 0
    private(set) var skipped = 0

    init(sensors: Int, gap: Duration, phase: Duration) {
        (self.sensors, self.gap, self.phase) = (max(sensors, 1), gap, phase)
    }

    /// A connection was made.
    mutating func begin(at now: MonotonicTime) {
        if next == nil { next = now + phase }
    }

    /// The reading that is due.
    ///
    /// - Parameter uptime: Since the gateway's start.
    mutating func take(at now: MonotonicTime, uptime: Duration, unix: Int64) -> SimulatedReading? {
        guard let due = next, now >= due else { return nil }
        let behind = Int(clamping: (now - due).wholeNanoseconds / max(gap.wholeNanoseconds, 1))
        // A sensor whose next value is due replaces its last value.
        let late = max(behind - sensors + 1, 0)
        skipped += late
        turn = (turn + late) % sensors
        next = due + gap * (late + 1)
        defer { turn = (turn + 1) % sensors }
        made += 1
        return SimulatedReading(
            n: made, sensor: turn, uptimeMilliseconds: uptime.wholeMilliseconds, unixMilliseconds: unix)
    }
}
