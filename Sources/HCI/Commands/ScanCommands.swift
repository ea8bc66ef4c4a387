// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How often and how long the controller listens, in units of 0.625 ms, 4…16,384. The window is not longer than the
/// interval.
package struct ScanTiming: Hashable, Sendable {
    package static let range: ClosedRange<UInt16> = 4...16_384
    package let interval: UInt16
    package let window: UInt16

    /// Nil outside the range.
    package init?(interval: UInt16, window: UInt16) {
        guard Self.range.contains(interval), Self.range.contains(window), window <= interval else { return nil }
        self.interval = interval
        self.window = window
    }

    private init(trusted interval: UInt16, _ window: UInt16) {
        self.interval = interval
        self.window = window
    }

    /// 60 ms in every 60 ms: finds a sensor soonest.
    package static let continuous = Self(trusted: 96, 96)
    /// 30 ms in every 60 ms: leaves air time to links, and to Wi-Fi on a shared antenna.
    package static let shared = Self(trusted: 96, 48)
    /// 11.25 ms in every 2.56 s, less than half a percent of the air time: for devices that no client waits for.
    package static let background = Self(trusted: 4096, 18)

    /// Shares this air time between two PHYs: three quarters of the window for LE 1M, which nearly all devices use, and
    /// one quarter for LE Coded. Nil when the window is too short to be cut.
    package var sharesOfTwoPHYs: (le1M: ScanTiming, leCoded: ScanTiming)? {
        guard window >= 32 else { return nil }
        return (Self(trusted: interval, window - window / 4), Self(trusted: interval, window / 4))
    }
}

/// Accepts every advertiser; uses the own public or random address. Core 5.4, Vol 4, Part E, 7.8.10.
package struct LESetScanParameters: HCICommand {
    package static let opcode = HCIOpcode.leSetScanParameters
    package var active: Bool
    package var timing: ScanTiming
    package var ownAddress: OwnAddressType

    package init(active: Bool, timing: ScanTiming, ownAddress: OwnAddressType) {
        self.active = active
        self.timing = timing
        self.ownAddress = ownAddress
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(active ? 1 : 0)
        octets.append(u16: timing.interval)
        octets.append(u16: timing.window)
        octets.append(ownAddress.rawValue)
        octets.append(0)
    }
}

/// Leaves the controller's duplicate filter off: such filters are small and freeze the RSSI. Core 5.4, Vol 4, Part E,
/// 7.8.11.
package struct LESetScanEnable: HCICommand {
    package static let opcode = HCIOpcode.leSetScanEnable
    package var enable: Bool

    package init(enable: Bool) { self.enable = enable }

    package func encode(into octets: inout [UInt8]) {
        octets.append(enable ? 1 : 0)
        octets.append(0)
    }
}

/// Accepts every advertiser on LE 1M, and on LE Coded if asked. Core 5.4, Vol 4, Part E, 7.8.64.
package struct LESetExtendedScanParameters: HCICommand {
    package static let opcode = HCIOpcode.leSetExtendedScanParameters
    package var active: Bool
    package var timing: ScanTiming
    /// Nil: only LE 1M.
    package var coded: ScanTiming?
    package var ownAddress: OwnAddressType

    package init(active: Bool, timing: ScanTiming, coded: ScanTiming? = nil, ownAddress: OwnAddressType) {
        self.active = active
        self.timing = timing
        self.coded = coded
        self.ownAddress = ownAddress
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(ownAddress.rawValue)
        octets.append(0)
        octets.append((coded == nil ? LEPHYs.le1M : [.le1M, .leCoded]).rawValue)
        for timing in [timing, coded].compactMap({ $0 }) {
            octets.append(active ? 1 : 0)
            octets.append(u16: timing.interval)
            octets.append(u16: timing.window)
        }
    }
}

/// Uses no duplicate filter, no duration and no period. Core 5.4, Vol 4, Part E, 7.8.65.
package struct LESetExtendedScanEnable: HCICommand {
    package static let opcode = HCIOpcode.leSetExtendedScanEnable
    package var enable: Bool

    package init(enable: Bool) { self.enable = enable }

    package func encode(into octets: inout [UInt8]) {
        octets.append(enable ? 1 : 0)
        octets.append(0)
        octets.append(u16: 0)
        octets.append(u16: 0)
    }
}
