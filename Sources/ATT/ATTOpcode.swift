// SPDX-License-Identifier: Apache-2.0

/// The first octet of an ATT PDU. Core 5.4, Vol 3, Part F, 3.4.8.
package struct ATTOpcode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    private init(_ rawValue: UInt8) { self.rawValue = rawValue }

    package static let errorResponse = Self(0x01)
    package static let exchangeMTURequest = Self(0x02)
    package static let exchangeMTUResponse = Self(0x03)
    package static let findInformationRequest = Self(0x04)
    package static let findInformationResponse = Self(0x05)
    package static let findByTypeValueRequest = Self(0x06)
    package static let findByTypeValueResponse = Self(0x07)
    package static let readByTypeRequest = Self(0x08)
    package static let readByTypeResponse = Self(0x09)
    package static let readRequest = Self(0x0A)
    package static let readResponse = Self(0x0B)
    package static let readBlobRequest = Self(0x0C)
    package static let readBlobResponse = Self(0x0D)
    package static let readMultipleRequest = Self(0x0E)
    package static let readMultipleResponse = Self(0x0F)
    package static let readByGroupTypeRequest = Self(0x10)
    package static let readByGroupTypeResponse = Self(0x11)
    package static let writeRequest = Self(0x12)
    package static let writeResponse = Self(0x13)
    package static let prepareWriteRequest = Self(0x16)
    package static let prepareWriteResponse = Self(0x17)
    package static let executeWriteRequest = Self(0x18)
    package static let executeWriteResponse = Self(0x19)
    package static let notification = Self(0x1B)
    package static let indication = Self(0x1D)
    package static let confirmation = Self(0x1E)
    package static let readMultipleVariableRequest = Self(0x20)
    package static let readMultipleVariableResponse = Self(0x21)
    package static let multipleHandleValueNotification = Self(0x23)
    package static let writeCommand = Self(0x52)
    package static let signedWriteCommand = Self(0xD2)

    /// Bit 6: a command, which is never answered.
    package var isCommand: Bool { rawValue & 0x40 != 0 }
}
