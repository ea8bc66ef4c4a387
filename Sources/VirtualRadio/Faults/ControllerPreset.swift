// SPDX-License-Identifier: Apache-2.0

import HCI

/// A controller like a real product, as `martlet virtual-radio --controller` takes it: its abilities and its known
/// faults.
package enum ControllerPreset: String, CaseIterable, Sendable {
    case standard
    case bcm43455
    case cyw43438
    case rtl8761b
    case csr8510
    case dualMode = "dual-mode"

    package var summary: String {
        switch self {
        case .standard: "does what the specification says"
        case .bcm43455: "Raspberry Pi 3B+, 4 and Compute Module 4 (BCM4345C0)"
        case .cyw43438: "Raspberry Pi 3B and Zero W: no privacy, no scan while it initiates, few buffers"
        case .rtl8761b: "a USB adapter: extended advertising, and no extended scan beside a link"
        case .csr8510: "a USB adapter of the first hour, or a copy of one: five links, commands that are not there"
        case .dualMode: "shares its buffers between BR/EDR and LE"
        }
    }

    /// The sources of its faults and limits, as in ``ControllerFault/sources``.
    package var sources: [String] {
        switch self {
        case .standard: []
        case .bcm43455: ["lautis/ruuvitag-listener#27", "Sentry-Six/Sentry-USB-Rusty#121"]
        case .cyw43438: ["bluez/bluez#569", "noble/noble#387"]
        case .rtl8761b: ["bluez/bluetooth-next#133"]
        case .csr8510: ["noble/noble#387", "xanmod/linux#393", "custom-components/ble_monitor#263"]
        case .dualMode: ["Core 5.4, Vol 4, Part E, 7.8.2"]
        }
    }

    package var settings: ControllerSettings {
        switch self {
        case .standard: ControllerSettings()
        case .bcm43455:
            ControllerSettings(
                aclDataCount: 8, maximumLinks: 10, company: Self.broadcom,
                faults: [.scanStopRefused, .connectFailsAfterAdvertising])
        case .cyw43438:
            ControllerSettings(
                aclDataLength: 27, aclDataCount: 8, maximumLinks: 5, acceptListSize: 8, scansWhileInitiating: false,
                company: Self.broadcom, missingFeatures: Self.since42, faults: [.scanStopRefused])
        case .rtl8761b:
            ControllerSettings(
                extendedAdvertising: true, aclDataCount: 8, maximumLinks: 8, company: 0x005D, resolvingListSize: 8,
                faults: [.scanRefusedWhileLinked])
        case .csr8510:
            ControllerSettings(
                aclDataLength: 27, aclDataCount: 4, maximumLinks: 5, acceptListSize: 8, scansWhileInitiating: false,
                company: 0x000A, missingFeatures: Self.since42, faults: [.listedAndRefused, .eventZero])
        case .dualMode: ControllerSettings(aclDataCount: 8, faults: [.sharedBuffers, .sharedCompletions])
        }
    }

    /// Assigned Numbers, 7.1.
    private static let broadcom: UInt16 = 0x000F
    /// Data length extension, LL privacy, LE 2M: features that Bluetooth 4.0 and 4.1 lack.
    private static let since42 = LEFeatures([.dataPacketLengthExtension, .llPrivacy, .le2M]).rawValue
}
