// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Additive: the interval of connection events, and the time after which a silent connection is lost.
public struct CBConnectionParameters: Hashable, Sendable {
    let parameters: ConnectionParameters

    /// Nil outside the ranges, and if the timeout is not longer than twice the longest silence that interval and
    /// latency allow. Core 5.4, Vol 4, Part E, 7.8.12.
    ///
    /// - Parameters:
    ///   - interval: 7.5 ms…4 s, in steps of 1.25 ms; the controller chooses from it.
    ///   - latency: connection events that the peripheral may skip, 0…499.
    ///   - timeout: the time without a packet after which the connection is lost, 100 ms…32 s, in steps of 10 ms.
    public init?(interval: ClosedRange<Duration>, latency: Int, timeout: Duration) {
        guard let shortest = Self.units(interval.lowerBound, of: .microseconds(1250)),
            let longest = Self.units(interval.upperBound, of: .microseconds(1250)),
            let timeout = Self.units(timeout, of: .milliseconds(10)),
            let minimumInterval = ConnectionInterval(units: shortest),
            let maximumInterval = ConnectionInterval(units: longest),
            let latency = UInt16(exactly: latency).flatMap({ PeripheralLatency(events: $0) }),
            let timeout = SupervisionTimeout(units: timeout),
            let parameters = ConnectionParameters(
                minimumInterval: minimumInterval, maximumInterval: maximumInterval, latency: latency, timeout: timeout)
        else { return nil }
        self.parameters = parameters
    }

    private init(_ parameters: ConnectionParameters) { self.parameters = parameters }

    /// 30…50 ms, no latency, 5 s: the parameters of a new connection.
    public static let standard = Self(.standard)
    /// 15…30 ms, no latency, 5 s.
    public static let lowLatency = Self(.lowLatency)
    /// 285…300 ms, four events skipped, 5 s: spares the battery of the peripheral.
    public static let highLatency = Self(.highLatency)

    private static func units(_ duration: Duration, of unit: Duration) -> UInt16? {
        UInt16(exactly: (duration / unit).rounded())
    }
}
