// SPDX-License-Identifier: Apache-2.0

/// The first octet of an HCI event. Core 5.4, Vol 4, Part E, 7.7.
package struct HCIEventCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    private init(_ rawValue: UInt8) { self.rawValue = rawValue }

    package static let disconnectionComplete = Self(0x05)
    package static let encryptionChange = Self(0x08)
    package static let readRemoteVersionInformationComplete = Self(0x0C)
    package static let commandComplete = Self(0x0E)
    package static let commandStatus = Self(0x0F)
    package static let hardwareError = Self(0x10)
    package static let numberOfCompletedPackets = Self(0x13)
    package static let dataBufferOverflow = Self(0x1A)
    package static let encryptionKeyRefreshComplete = Self(0x30)
    package static let leMeta = Self(0x3E)
    package static let encryptionChangeV2 = Self(0x59)
}

/// The first parameter of an LE Meta event. Core 5.4, Vol 4, Part E, 7.7.65.
package struct LESubeventCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    private init(_ rawValue: UInt8) { self.rawValue = rawValue }

    package static let connectionComplete = Self(0x01)
    package static let advertisingReport = Self(0x02)
    package static let connectionUpdateComplete = Self(0x03)
    package static let readRemoteFeaturesComplete = Self(0x04)
    package static let longTermKeyRequest = Self(0x05)
    package static let remoteConnectionParameterRequest = Self(0x06)
    package static let dataLengthChange = Self(0x07)
    package static let generateDHKeyComplete = Self(0x09)
    package static let enhancedConnectionComplete = Self(0x0A)
    package static let phyUpdateComplete = Self(0x0C)
    package static let extendedAdvertisingReport = Self(0x0D)
    package static let scanTimeout = Self(0x11)
    package static let advertisingSetTerminated = Self(0x12)
    package static let channelSelectionAlgorithm = Self(0x14)
}
