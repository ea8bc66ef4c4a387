// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// An HCI command opcode: OGF in the upper 6 bits, OCF in the lower 10. Core 5.4, Vol 4, Part E, 5.4.1.
package struct HCIOpcode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }
    private init(_ rawValue: UInt16) { self.rawValue = rawValue }

    package static let none = Self(0x0000)

    // Link control, 7.1
    package static let disconnect = Self(0x0406)
    package static let readRemoteVersionInformation = Self(0x041D)

    // Controller & baseband, 7.3
    package static let setEventMask = Self(0x0C01)
    package static let reset = Self(0x0C03)
    package static let readTransmitPowerLevel = Self(0x0C2D)
    package static let hostNumberOfCompletedPackets = Self(0x0C35)
    package static let setEventMaskPage2 = Self(0x0C63)

    // Informational parameters, 7.4
    package static let readLocalVersionInformation = Self(0x1001)
    package static let readLocalSupportedCommands = Self(0x1002)
    package static let readLocalSupportedFeatures = Self(0x1003)
    package static let readBufferSize = Self(0x1005)
    package static let readBDADDR = Self(0x1009)

    // Status parameters, 7.5
    package static let readRSSI = Self(0x1405)

    // LE controller, 7.8
    package static let leSetEventMask = Self(0x2001)
    package static let leReadBufferSize = Self(0x2002)
    package static let leReadLocalSupportedFeatures = Self(0x2003)
    package static let leSetRandomAddress = Self(0x2005)
    package static let leSetAdvertisingParameters = Self(0x2006)
    package static let leReadAdvertisingPhysicalChannelTxPower = Self(0x2007)
    package static let leSetAdvertisingData = Self(0x2008)
    package static let leSetScanResponseData = Self(0x2009)
    package static let leSetAdvertisingEnable = Self(0x200A)
    package static let leSetScanParameters = Self(0x200B)
    package static let leSetScanEnable = Self(0x200C)
    package static let leCreateConnection = Self(0x200D)
    package static let leCreateConnectionCancel = Self(0x200E)
    package static let leReadFilterAcceptListSize = Self(0x200F)
    package static let leClearFilterAcceptList = Self(0x2010)
    package static let leAddDeviceToFilterAcceptList = Self(0x2011)
    package static let leRemoveDeviceFromFilterAcceptList = Self(0x2012)
    package static let leConnectionUpdate = Self(0x2013)
    package static let leReadRemoteFeatures = Self(0x2016)
    package static let leEncrypt = Self(0x2017)
    package static let leRand = Self(0x2018)
    package static let leEnableEncryption = Self(0x2019)
    package static let leLongTermKeyRequestReply = Self(0x201A)
    package static let leLongTermKeyRequestNegativeReply = Self(0x201B)
    package static let leReadSupportedStates = Self(0x201C)
    package static let leRemoteConnectionParameterRequestReply = Self(0x2020)
    package static let leRemoteConnectionParameterRequestNegativeReply = Self(0x2021)
    package static let leSetDataLength = Self(0x2022)
    package static let leReadSuggestedDefaultDataLength = Self(0x2023)
    package static let leWriteSuggestedDefaultDataLength = Self(0x2024)
    package static let leAddDeviceToResolvingList = Self(0x2027)
    package static let leRemoveDeviceFromResolvingList = Self(0x2028)
    package static let leClearResolvingList = Self(0x2029)
    package static let leReadResolvingListSize = Self(0x202A)
    package static let leReadPeerResolvableAddress = Self(0x202B)
    package static let leReadLocalResolvableAddress = Self(0x202C)
    package static let leSetAddressResolutionEnable = Self(0x202D)
    package static let leSetResolvablePrivateAddressTimeout = Self(0x202E)
    package static let leReadMaximumDataLength = Self(0x202F)
    package static let leReadPHY = Self(0x2030)
    package static let leSetDefaultPHY = Self(0x2031)
    package static let leSetPHY = Self(0x2032)
    package static let leSetAdvertisingSetRandomAddress = Self(0x2035)
    package static let leSetExtendedAdvertisingParameters = Self(0x2036)
    package static let leSetExtendedAdvertisingData = Self(0x2037)
    package static let leSetExtendedScanResponseData = Self(0x2038)
    package static let leSetExtendedAdvertisingEnable = Self(0x2039)
    package static let leReadMaximumAdvertisingDataLength = Self(0x203A)
    package static let leReadNumberOfSupportedAdvertisingSets = Self(0x203B)
    package static let leRemoveAdvertisingSet = Self(0x203C)
    package static let leClearAdvertisingSets = Self(0x203D)
    package static let leSetExtendedScanParameters = Self(0x2041)
    package static let leSetExtendedScanEnable = Self(0x2042)
    package static let leExtendedCreateConnection = Self(0x2043)
    package static let leSetPrivacyMode = Self(0x204E)
    package static let leCreateBIG = Self(0x2068)
    package static let leCreateBIGTest = Self(0x2069)
    package static let leBIGCreateSync = Self(0x206B)
}

extension HCIOpcode: CustomStringConvertible {
    package var description: String { "0x" + rawValue.bigEndianHexadecimal }
}

extension HCIOpcode {
    /// The names of commands that a useful controller needs, or that some controllers lack.
    private static let names: [HCIOpcode: String] = [
        .reset: "Reset", .setEventMask: "Set Event Mask", .readBDADDR: "Read BD_ADDR", .readRSSI: "Read RSSI",
        .readBufferSize: "Read Buffer Size", .readLocalSupportedCommands: "Read Local Supported Commands",
        .readLocalSupportedFeatures: "Read Local Supported Features", .leSetEventMask: "LE Set Event Mask",
        .leReadBufferSize: "LE Read Buffer Size", .leReadLocalSupportedFeatures: "LE Read Local Supported Features",
        .leSetRandomAddress: "LE Set Random Address", .leSetAdvertisingParameters: "LE Set Advertising Parameters",
        .leSetAdvertisingData: "LE Set Advertising Data", .leSetScanResponseData: "LE Set Scan Response Data",
        .leSetAdvertisingEnable: "LE Set Advertising Enable", .leSetScanParameters: "LE Set Scan Parameters",
        .leSetScanEnable: "LE Set Scan Enable", .leCreateConnection: "LE Create Connection",
        .leCreateConnectionCancel: "LE Create Connection Cancel",
        .leReadFilterAcceptListSize: "LE Read Filter Accept List Size",
        .leReadRemoteFeatures: "LE Read Remote Features", .leReadSupportedStates: "LE Read Supported States",
        .leSetDataLength: "LE Set Data Length",
        .leWriteSuggestedDefaultDataLength: "LE Write Suggested Default Data Length",
        .leReadResolvingListSize: "LE Read Resolving List Size", .leSetDefaultPHY: "LE Set Default PHY",
        .leSetPHY: "LE Set PHY", .leSetAdvertisingSetRandomAddress: "LE Set Advertising Set Random Address",
        .leSetExtendedAdvertisingParameters: "LE Set Extended Advertising Parameters",
        .leSetExtendedAdvertisingData: "LE Set Extended Advertising Data",
        .leSetExtendedScanResponseData: "LE Set Extended Scan Response Data",
        .leSetExtendedAdvertisingEnable: "LE Set Extended Advertising Enable",
        .leReadMaximumAdvertisingDataLength: "LE Read Maximum Advertising Data Length",
        .leReadNumberOfSupportedAdvertisingSets: "LE Read Number of Supported Advertising Sets",
        .leRemoveAdvertisingSet: "LE Remove Advertising Set",
        .leSetExtendedScanParameters: "LE Set Extended Scan Parameters",
        .leSetExtendedScanEnable: "LE Set Extended Scan Enable",
        .leExtendedCreateConnection: "LE Extended Create Connection",
    ]

    /// `LE Set Scan Enable (0x200C)`; only the number if the name is unknown.
    package var words: String { Self.names[self].map { "\($0) (\(self))" } ?? description }
}
