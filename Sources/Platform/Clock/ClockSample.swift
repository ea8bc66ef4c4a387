// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// This machine's two clocks at one moment.
package struct ClockSample: Equatable, Sendable {
    /// Milliseconds since boot, suspended time included (CLOCK_BOOTTIME).
    package var uptime: Int64
    /// Milliseconds since 1970 UTC by the system's clock (CLOCK_REALTIME), right or wrong.
    package var unix: Int64

    package init(uptime: Int64, unix: Int64) {
        self.uptime = uptime
        self.unix = unix
    }

    /// The kernel steers both clocks alike. The offset changes only when the system's clock is set, and at a leap
    /// second.
    @inlinable package var offset: Int64 { unix.subtractingSaturated(uptime) }
}

/// The word of the kernel and of the time service on the system's clock.
package struct ClockWord: Equatable, Sendable {
    /// adjtimex(2) reports no error, and a time service steers the clock.
    package var isSynchronized: Bool
    /// The kernel's bound of the error, in milliseconds. The bound grows by half a millisecond a second until a time
    /// service has asked its server again, and at 16 s the kernel withdraws its word.
    package var maximumError: Int64
    package var leap: LeapSecond
    /// When systemd-timesyncd last set the clock, in milliseconds since 1970 by the clock of that moment: the age of
    /// its marker. Nil if there is no marker.
    package var serviceMark: Int64?

    package init(
        isSynchronized: Bool, maximumError: Int64 = 0, leap: LeapSecond = .none, serviceMark: Int64? = nil
    ) {
        self.isSynchronized = isSynchronized
        self.maximumError = maximumError
        self.leap = leap
        self.serviceMark = serviceMark
    }

    static let nothing = ClockWord(isSynchronized: false)
}

/// The kernel's plan for the end of the UTC day.
package enum LeapSecond: String, Codable, CaseIterable, Sendable {
    case none
    /// The day is a second longer: the system's clock will show its last second twice.
    case insert
    /// The day is a second shorter.
    case delete
    /// The inserted second is in progress.
    case inProgress = "in-progress"
}

/// The source that vouches for the wall time.
package enum ClockSource: String, Codable, CaseIterable, Sendable {
    /// The kernel: a time service steers its clock.
    case kernel
    /// systemd-timesyncd's marker, if the kernel was not told.
    case timeService = "time-service"
    /// A trusted phone, or an operator.
    case trusted
    /// The system's clock without a check: the configuration asks for no word.
    case system
    /// The journal's record of an earlier run in this boot.
    case journal

    /// A source of higher rank corrects a source of lower rank.
    var rank: Int {
        switch self {
        case .kernel, .timeService: 3
        case .trusted: 2
        case .system: 1
        case .journal: 0
        }
    }
}

/// How the wall time of a boot follows from its uptime: by the first valid word.
package struct ClockAnchor: Equatable, Sendable {
    /// Unix time minus uptime, in milliseconds.
    package var offset: Int64
    /// When the offset was learned, in milliseconds since boot.
    package var uptime: Int64

    package init(offset: Int64, uptime: Int64) {
        self.offset = offset
        self.uptime = uptime
    }

    /// How far apart, in milliseconds, two right times may be: the time of this anchor, and the time of a clock that
    /// ran freely between the anchor and `uptime`.
    package func tolerance(at uptime: Int64) -> Int64 {
        ClockMachine.smallStep + ClockMachine.drift(over: uptime.distanceSaturated(to: self.uptime))
    }
}

/// When to believe the system's clock.
package struct ClockConfiguration: Equatable, Sendable {
    /// False trusts the system's clock unchecked, for machines with a good real-time clock and no time service.
    package var requiresSynchronization: Bool
    /// A clock with a larger known error does not count as synchronised.
    package var maximumError: Duration

    package init(requiresSynchronization: Bool = true, maximumError: Duration = .seconds(5)) {
        self.requiresSynchronization = requiresSynchronization
        self.maximumError = maximumError
    }
}
