// SPDX-License-Identifier: Apache-2.0

/// What can be done about a radio that does not do its work, the gentlest first: the rungs of a ladder.
package enum RecoveryStep: String, CaseIterable, Codable, Comparable, Sendable {
    /// The scan is stopped and started again.
    case scan
    /// HCI Reset and the whole set-up; links are made again afterwards. Core 5.4, Vol 4, Part E, 7.3.2.
    case reset
    /// The transport is closed and opened, which for a kernel's adapter is a power cycle by its driver.
    case reopen
    /// The adapter is blocked and let go (rfkill), which takes the power from those that are wired for it.
    case power
    /// The driver of its serial line lets it go and takes it again; a USB adapter is taken from its port and given back.
    case rebind
    /// The program ends, to be started again by the service manager.
    case process
    /// The machine starts anew.
    case reboot

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The host does it by itself; for the others it needs help.
    package var isOwn: Bool { self <= .reopen }

    /// How often it may be taken a day. Those that leave everything in place hardly have a limit; the heavy ones must not become
    /// what the gateway does.
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

    /// A trouble that comes within this time is the same still: the step has not cured it.
    package var proof: Duration {
        switch self {
        case .scan, .reset, .reopen: .seconds(60)
        case .power, .rebind, .process, .reboot: .seconds(600)
        }
    }
}
