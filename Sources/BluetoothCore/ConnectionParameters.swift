// SPDX-License-Identifier: Apache-2.0

/// How often the two sides of a link meet: N × 1.25 ms, 6…3200 (7.5 ms … 4 s). Core 5.4, Vol 4, Part E, 7.8.12.
package struct ConnectionInterval: Hashable, Comparable, Sendable {
    package static let range: ClosedRange<UInt16> = 6...3200
    package let units: UInt16

    /// Nil outside the range.
    package init?(units: UInt16) {
        guard Self.range.contains(units) else { return nil }
        self.units = units
    }

    private init(trusted units: UInt16) { self.units = units }
    package static let milliseconds15 = Self(trusted: 12)
    package static let milliseconds30 = Self(trusted: 24)
    package static let milliseconds50 = Self(trusted: 40)
    package static let milliseconds285 = Self(trusted: 228)
    package static let milliseconds300 = Self(trusted: 240)

    package var duration: Duration { .microseconds(Int(units) * 1250) }
    package static func < (left: Self, right: Self) -> Bool { left.units < right.units }
}

/// Connection events that the Peripheral may skip: 0…499.
package struct PeripheralLatency: Hashable, Sendable {
    package static let range: ClosedRange<UInt16> = 0...499
    package let events: UInt16

    /// Nil outside the range.
    package init?(events: UInt16) {
        guard Self.range.contains(events) else { return nil }
        self.events = events
    }

    private init(trusted events: UInt16) { self.events = events }
    package static let none = Self(trusted: 0)
    package static let four = Self(trusted: 4)
}

/// How long a link lasts without a packet: N × 10 ms, 10…3200 (100 ms … 32 s).
package struct SupervisionTimeout: Hashable, Sendable {
    package static let range: ClosedRange<UInt16> = 10...3200
    package let units: UInt16

    /// Nil outside the range.
    package init?(units: UInt16) {
        guard Self.range.contains(units) else { return nil }
        self.units = units
    }

    private init(trusted units: UInt16) { self.units = units }
    package static let seconds5 = Self(trusted: 500)

    package var duration: Duration { .milliseconds(Int(units) * 10) }
}

/// The parameters that a Central asks for on a link.
package struct ConnectionParameters: Hashable, Sendable {
    package var minimumInterval: ConnectionInterval
    package var maximumInterval: ConnectionInterval
    package var latency: PeripheralLatency
    package var timeout: SupervisionTimeout

    /// Nil when the interval range is empty or the timeout does not outlast the latency, as
    /// Core 5.4, Vol 4, Part E, 7.8.12 requires: timeout > (1 + latency) × interval × 2.
    package init?(
        minimumInterval: ConnectionInterval, maximumInterval: ConnectionInterval, latency: PeripheralLatency,
        timeout: SupervisionTimeout
    ) {
        guard minimumInterval <= maximumInterval,
            timeout.duration > maximumInterval.duration * (1 + Int(latency.events)) * 2
        else { return nil }
        self.init(trusted: minimumInterval, maximumInterval, latency, timeout)
    }

    private init(
        trusted minimumInterval: ConnectionInterval, _ maximumInterval: ConnectionInterval,
        _ latency: PeripheralLatency, _ timeout: SupervisionTimeout
    ) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.timeout = timeout
    }

    /// 30–50 ms, no latency, 5 s: quick enough for streams, loose enough for a dozen links.
    package static let standard = Self(trusted: .milliseconds30, .milliseconds50, .none, .seconds5)
    /// 15–30 ms: every Central in need of a quick link grants this interval.
    package static let lowLatency = Self(trusted: .milliseconds15, .milliseconds30, .none, .seconds5)
    /// 285–300 ms, four events skipped, 5 s: interval × (latency + 1) stays under 2 s.
    package static let highLatency = Self(trusted: .milliseconds285, .milliseconds300, .four, .seconds5)
}
