// SPDX-License-Identifier: Apache-2.0

/// The commands that a controller supports: bits by octet. Core 5.4, Vol 4, Part E, 6.27.
package struct SupportedCommands: Equatable, Sendable {
    private let octets: [UInt8]

    package init(octets: [UInt8]) { self.octets = octets }

    package func contains(octet: Int, bit: Int) -> Bool {
        octets.indices.contains(octet) && octets[octet] >> UInt8(bit) & 1 == 1
    }

    package var readRSSI: Bool { contains(octet: 15, bit: 5) }
    package var leReadSupportedStates: Bool { contains(octet: 28, bit: 3) }
    package var leReadRemoteFeatures: Bool { contains(octet: 27, bit: 5) }
    package var leSetDataLength: Bool { contains(octet: 33, bit: 6) }
    package var leWriteSuggestedDefaultDataLength: Bool { contains(octet: 34, bit: 0) }
    /// The controller has the commands of the resolving list, and the command that sets the privacy mode.
    package var resolvingList: Bool {
        (3...6).allSatisfy { contains(octet: 34, bit: $0) } && contains(octet: 35, bit: 1)
            && contains(octet: 39, bit: 2)
    }
    package var leSetDefaultPHY: Bool { contains(octet: 35, bit: 5) }
    package var leSetPHY: Bool { contains(octet: 35, bit: 6) }
    package var leReadMaximumAdvertisingDataLength: Bool { contains(octet: 36, bit: 6) }
    package var leReadNumberOfSupportedAdvertisingSets: Bool { contains(octet: 36, bit: 7) }
    /// Extended scan parameters, scan enable and create connection.
    package var extendedScanAndConnect: Bool {
        contains(octet: 37, bit: 5) && contains(octet: 37, bit: 6) && contains(octet: 37, bit: 7)
    }
}

/// Core 5.4, Vol 6, Part B, 4.6.
package struct LEFeatures: OptionSet, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let encryption = Self(rawValue: 1 << 0)
    package static let connectionParametersRequest = Self(rawValue: 1 << 1)
    package static let peripheralInitiatedFeaturesExchange = Self(rawValue: 1 << 3)
    package static let dataPacketLengthExtension = Self(rawValue: 1 << 5)
    package static let llPrivacy = Self(rawValue: 1 << 6)
    package static let le2M = Self(rawValue: 1 << 8)
    package static let leCoded = Self(rawValue: 1 << 11)
    package static let extendedAdvertising = Self(rawValue: 1 << 12)
    package static let channelSelectionAlgorithm2 = Self(rawValue: 1 << 14)
}

/// Core 5.4, Vol 4, Part E, 7.8.64.
package struct LEPHYs: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let le1M = Self(rawValue: 1 << 0)
    package static let le2M = Self(rawValue: 1 << 1)
    package static let leCoded = Self(rawValue: 1 << 2)
}
