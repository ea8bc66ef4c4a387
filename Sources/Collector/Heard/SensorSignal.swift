// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch

/// The signal of a sensor: its strength, the last sighting by a scan, and the reports to other gateways.
struct SensorSignal: Equatable, Sendable {
    /// A sighting is news if the last sign of the sensor is at least this many milliseconds ago.
    static let quiet: Int64 = 600_000
    /// Minimum time between two reports to other gateways, in nanoseconds.
    private static let reportPause: UInt64 = 5_000_000_000
    /// The strength of a sighting that the controller has not measured.
    private static let unmeasured = 127

    /// dBm, as last measured in a sighting.
    private(set) var rssi: Int8?
    /// The time of the last sighting, in milliseconds since boot.
    private(set) var heardAt: Int64?
    /// ``heardAt``, by the collector's timer.
    private var heard: DispatchTime?
    private var reported: DispatchTime?

    /// A scan reported the sensor.
    ///
    /// - Parameters:
    ///   - strength: dBm; 127 if unknown.
    ///   - now: Milliseconds since boot.
    ///   - time: `now` by the collector's timer.
    mutating func sighted(_ strength: Int, at now: Int64, _ time: DispatchTime) {
        if strength != Self.unmeasured { rssi = Int8(clamping: strength) }
        (heardAt, heard) = (now, time)
    }

    /// Milliseconds since the last sighting; nil before the first sighting.
    func age(at time: DispatchTime) -> Int64? {
        heard.map { heard in
            Int64((time.uptimeNanoseconds - min(heard.uptimeNanoseconds, time.uptimeNanoseconds)) / 1_000_000)
        }
    }

    /// There was no sign of the sensor for ``quiet``. Mostly the last sighting decides, because it comes with each packet.
    ///
    /// - Parameter lastSign: The time of the last sign of any kind; asked for only if the last sighting does not decide.
    func isQuiet(at now: Int64, lastSign: () -> Int64?) -> Bool {
        if let heardAt, now.subtractingSaturated(heardAt) < Self.quiet { return false }
        return lastSign().map { now.subtractingSaturated($0) >= Self.quiet } ?? true
    }

    // MARK: Other gateways

    /// Whether other gateways may be told of the signal now.
    func isReportDue(at time: DispatchTime) -> Bool {
        guard let reported else { return true }
        return time.uptimeNanoseconds >= reported.uptimeNanoseconds + Self.reportPause
    }

    mutating func report(at time: DispatchTime) { reported = time }
}
