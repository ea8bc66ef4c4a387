// SPDX-License-Identifier: Apache-2.0

/// A step that recovers a failed radio: the rungs of a ladder, the gentlest first.
package enum RecoveryStep: String, CaseIterable, Codable, Comparable, Sendable {
    /// The scan is stopped and started again.
    case scan
    /// HCI Reset and the whole set-up; links are made again afterwards. Core 5.4, Vol 4, Part E, 7.3.2.
    case reset
    /// The transport is closed and opened, which for a kernel's adapter is a power cycle by its driver.
    case reopen
    /// Blocks the adapter and unblocks it (rfkill), which cuts the power of adapters that are wired for rfkill.
    case power
    /// Takes the adapter from its driver and gives it back: the driver of a serial line, or the port of a USB adapter.
    case rebind
    /// The program ends, to be started again by the service manager.
    case process
    /// The machine starts anew.
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
