// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What this machine's two clocks said at one moment.
package struct ClockSample: Equatable, Sendable {
    /// Milliseconds since boot, suspended time included (CLOCK_BOOTTIME).
    package var uptime: Int64
    /// Milliseconds since 1970 UTC by the system's clock (CLOCK_REALTIME), right or wrong.
    package var unix: Int64

    package init(uptime: Int64, unix: Int64) {
        self.uptime = uptime
        self.unix = unix
    }

    /// The kernel steers both clocks alike, so that this changes only when somebody sets the system's clock, and for a
    /// leap second.
    @inlinable package var offset: Int64 { unix.subtractingSaturated(uptime) }
}

/// What the kernel and the time service say of the system's clock.
package struct ClockWord: Equatable, Sendable {
    /// adjtimex(2) tells no error, and something steers the clock.
    package var isSynchronized: Bool
    /// The kernel's bound of the error, in milliseconds. It grows by half a millisecond a second until a time service
    /// has asked its server again, and at 16 s the kernel takes its word back.
    package var maximumError: Int64
    package var leap: LeapSecond
    /// When systemd-timesyncd last set the clock, in milliseconds since 1970 by the clock of that moment: the age of its
    /// marker. Nil where there is none.
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

/// What the kernel has been told of the end of the UTC day.
package enum LeapSecond: String, Codable, Sendable {
    case none
    /// The day gets a second more: the system's clock will show its last second twice.
    case insert
    /// The day has a second less.
    case delete
    /// The second that was put in goes on now.
    case inProgress = "in-progress"
}

/// Whose word the wall time is taken on.
package enum ClockSource: String, Codable, Sendable {
    /// The kernel's: a time service steers its clock.
    case kernel
    /// systemd-timesyncd's marker, where the kernel was not told.
    case timeService = "time-service"
    /// A trusted phone, or an operator.
    case trusted
    /// The system's clock as it is: the configuration wants no word on it.
    case system
    /// What the journal kept from an earlier run in this boot.
    case journal

    /// Better ones correct what others said.
    var rank: Int {
        switch self {
        case .kernel, .timeService: 3
        case .trusted: 2
        case .system: 1
        case .journal: 0
        }
    }
}

/// How the wall time of a boot follows from its uptime: by the first word on it that still stands.
package struct ClockAnchor: Equatable, Sendable {
    /// Unix time minus uptime, in milliseconds.
    package var offset: Int64
    /// When that was learned, in milliseconds since boot.
    package var uptime: Int64

    package init(offset: Int64, uptime: Int64) {
        self.offset = offset
        self.uptime = uptime
    }

    /// How far apart, in milliseconds, two right times may be that this anchor and a clock running freely since, or
    /// until, `uptime` give.
    package func tolerance(at uptime: Int64) -> Int64 {
        ClockMachine.smallStep + ClockMachine.drift(over: uptime.distanceSaturated(to: self.uptime))
    }
}

/// When to believe the system's clock.
package struct ClockConfiguration: Equatable, Sendable {
    /// False trusts the system's clock as it is, for machines with a good real-time clock and no time service.
    package var requiresSynchronization: Bool
    /// What is further off, as far as is known, does not count as synchronised.
    package var maximumError: Duration

    package init(requiresSynchronization: Bool = true, maximumError: Duration = .seconds(5)) {
        self.requiresSynchronization = requiresSynchronization
        self.maximumError = maximumError
    }
}
