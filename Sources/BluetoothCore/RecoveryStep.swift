// SPDX-License-Identifier: Apache-2.0

/// A step that recovers a failed radio: the rungs of a ladder, the gentlest first.
package enum RecoveryStep: String, CaseIterable, Codable, Comparable, Sendable {
    /// Stops the scan and starts it again.
    case scan
    /// HCI Reset and the whole set-up; the host then makes its links again. Core 5.4, Vol 4, Part E, 7.3.2.
    case reset
    /// Closes the transport and opens it again; for a kernel's adapter, its driver cycles the power.
    case reopen
    /// Blocks the adapter and unblocks it (rfkill), which cuts the power of adapters that are wired for rfkill.
    case power
    /// Takes the adapter from its driver and gives it back: the driver of a serial line, or the port of a USB adapter.
    case rebind
    /// Ends the program, and the service manager starts it again.
    case process
    /// Restarts the machine.
    case reboot

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// True if the host takes the step itself; the other steps need help.
    package var isOwn: Bool { self <= .reopen }

    /// How often a day the step may be taken. Gentle steps hardly have a limit; heavy steps must not become the
    /// gateway's daily work.
    package var daily: Int {
        switch self {
        case .scan: 96
        case .reset, .reopen: 288
        case .power: 12
        case .rebind: 6
        case .process: 4
        case .reboot: 2
        }
    }

    /// A fault within this time is still the old fault: the step has not cured it.
    package var proof: Duration {
        switch self {
        case .scan, .reset, .reopen: .seconds(60)
        case .power, .rebind, .process, .reboot: .seconds(600)
        }
    }
}
