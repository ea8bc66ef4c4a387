// SPDX-License-Identifier: Apache-2.0

/// The first octet of an ATT PDU. Core 5.4, Vol 3, Part F, 3.4.8.
public struct ATTOpcode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    private init(_ rawValue: UInt8) { self.rawValue = rawValue }

    public static let errorResponse = Self(0x01)
    public static let exchangeMTURequest = Self(0x02)
    public static let exchangeMTUResponse = Self(0x03)
    public static let findInformationRequest = Self(0x04)
    public static let findInformationResponse = Self(0x05)
    public static let findByTypeValueRequest = Self(0x06)
    public static let findByTypeValueResponse = Self(0x07)
    public static let readByTypeRequest = Self(0x08)
    public static let readByTypeResponse = Self(0x09)
    public static let readRequest = Self(0x0A)
    public static let readResponse = Self(0x0B)
    public static let readBlobRequest = Self(0x0C)
    public static let readBlobResponse = Self(0x0D)
    public static let readMultipleRequest = Self(0x0E)
    public static let readMultipleResponse = Self(0x0F)
    public static let readByGroupTypeRequest = Self(0x10)
    public static let readByGroupTypeResponse = Self(0x11)
    public static let writeRequest = Self(0x12)
    public static let writeResponse = Self(0x13)
    public static let prepareWriteRequest = Self(0x16)
    public static let prepareWriteResponse = Self(0x17)
    public static let executeWriteRequest = Self(0x18)
    public static let executeWriteResponse = Self(0x19)
    public static let notification = Self(0x1B)
    public static let indication = Self(0x1D)
    public static let confirmation = Self(0x1E)
    public static let readMultipleVariableRequest = Self(0x20)
    public static let readMultipleVariableResponse = Self(0x21)
    public static let multipleHandleValueNotification = Self(0x23)
    public static let writeCommand = Self(0x52)
    public static let signedWriteCommand = Self(0xD2)

    /// Bit 6: a command, which is never answered.
    public var isCommand: Bool { rawValue & 0x40 != 0 }

    /// A response's opcode is its request's plus one. Core 5.4, Vol 3, Part F, 3.4.8.
    package func isResponse(to request: ATTOpcode) -> Bool { rawValue == request.rawValue &+ 1 }
}
