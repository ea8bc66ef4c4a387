// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// This controller's simultaneous activities, by the bits of LE Read Supported States. Core 5.4, Vol 4, Part E, 7.8.27.
extension VirtualController {
    /// All 42 combinations, or all but passive and active scanning while initiating.
    var states: UInt64 {
        settings.states ?? (settings.scansWhileInitiating ? 0x03FF_FFFF_FFFF : 0x03FF_FF3F_FFFF)
    }

    /// The bits of a kind of advertising: with passive scanning, active scanning, initiating, as Central and as
    /// Peripheral.
    private static func bits(of set: AdvertisingSet) -> [UInt64] {
        if set.isDirected { return set.isHighDuty ? [11, 15, 33, 36, 39] : [30, 31, 34, 37, 40] }
        if set.isConnectable { return [10, 14, 32, 35, 38] }
        return set.isScannable ? [9, 13, 17, 19, 21] : [8, 12, 16, 18, 20]
    }

    private var enabledSets: [AdvertisingSet] {
        ([host.legacyAdvertising] + host.advertisingSets.values).filter(\.isEnabled)
    }

    private func allows(_ bit: UInt64) -> Bool { states >> bit & 1 == 1 }

    func checkAdvertising(_ set: AdvertisingSet) throws(HCIStatus) {
        let bits = Self.bits(of: set)
        var needed: [UInt64] = []
        if host.scanner.isEnabled { needed.append(host.scanner.isActive ? bits[1] : bits[0]) }
        if host.initiator != nil { needed.append(bits[2]) }
        for link in host.links.values { needed.append(link.role == .central ? bits[3] : bits[4]) }
        guard needed.allSatisfy(allows) else { throw .commandDisallowed }
        if host.initiator != nil { wedgeIfWeak() }
    }

    func checkScanning() throws(HCIStatus) {
        var needed = enabledSets.map { Self.bits(of: $0)[host.scanner.isActive ? 1 : 0] }
        if host.initiator != nil { needed.append(host.scanner.isActive ? 23 : 22) }
        for link in host.links.values {
            needed.append((link.role == .central ? 24 : 26) + (host.scanner.isActive ? 1 : 0))
        }
        guard needed.allSatisfy(allows) else { throw .commandDisallowed }
    }

    func checkInitiating() throws(HCIStatus) {
        var needed = enabledSets.map { Self.bits(of: $0)[2] }
        if host.scanner.isEnabled { needed.append(host.scanner.isActive ? 23 : 22) }
        for link in host.links.values { needed.append(link.role == .central ? 28 : 41) }
        guard needed.allSatisfy(allows) else { throw .commandDisallowed }
        if !enabledSets.isEmpty { wedgeIfWeak() }
    }

    private func wedgeIfWeak() {
        if settings.wedgesWhenInitiatingWhileAdvertising { isWedged = true }
        if faults.has(.connectFailsAfterAdvertising) { faults.failsToConnect = true }
    }
}
