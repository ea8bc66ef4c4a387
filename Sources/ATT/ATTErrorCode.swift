// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Why a server refused a request. Core 5.4, Vol 3, Part F, 3.4.1.1.
package struct ATTErrorCode: RawRepresentable, Hashable, Error, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    private init(_ rawValue: UInt8) { self.rawValue = rawValue }

    package static let invalidHandle = Self(0x01)
    package static let readNotPermitted = Self(0x02)
    package static let writeNotPermitted = Self(0x03)
    package static let invalidPDU = Self(0x04)
    package static let insufficientAuthentication = Self(0x05)
    package static let requestNotSupported = Self(0x06)
    package static let invalidOffset = Self(0x07)
    package static let insufficientAuthorization = Self(0x08)
    package static let prepareQueueFull = Self(0x09)
    package static let attributeNotFound = Self(0x0A)
    package static let attributeNotLong = Self(0x0B)
    package static let encryptionKeySizeTooShort = Self(0x0C)
    package static let invalidAttributeValueLength = Self(0x0D)
    package static let unlikelyError = Self(0x0E)
    package static let insufficientEncryption = Self(0x0F)
    package static let unsupportedGroupType = Self(0x10)
    package static let insufficientResources = Self(0x11)
    /// The database has changed since the client's discovery. Core 5.4, Vol 3, Part G, 2.5.2.1.
    package static let databaseOutOfSync = Self(0x12)
    package static let valueNotAllowed = Self(0x13)
    /// Common profile and service error codes, Supplement to the Core Specification, Part B.
    package static let cccdImproperlyConfigured = Self(0xFD)

    /// The server may grant the same request on a link with other security.
    package var isOfSecurity: Bool {
        [
            .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption,
            .encryptionKeySizeTooShort,
        ].contains(self)
    }
}

extension ATTErrorCode: CustomStringConvertible {
    package var description: String { "ATT error 0x" + rawValue.bigEndianHexadecimal }
}
