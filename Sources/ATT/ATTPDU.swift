// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A PDU of the Attribute Protocol. Core 5.4, Vol 3, Part F, 3.4.
package enum ATTPDU: Equatable, Sendable {
    case errorResponse(request: ATTOpcode, handle: UInt16, error: ATTErrorCode)
    case exchangeMTURequest(mtu: UInt16)
    case exchangeMTUResponse(mtu: UInt16)
    case findInformationRequest(start: UInt16, end: UInt16)
    case findInformationResponse([AttributeInformation])
    case findByTypeValueRequest(start: UInt16, end: UInt16, type: UInt16, value: [UInt8])
    case findByTypeValueResponse([HandleRange])
    case readByTypeRequest(start: UInt16, end: UInt16, type: BluetoothUUID)
    case readByTypeResponse([AttributeValue])
    case readRequest(handle: UInt16)
    case readResponse([UInt8])
    case readBlobRequest(handle: UInt16, offset: UInt16)
    case readBlobResponse([UInt8])
    case readMultipleRequest(handles: [UInt16])
    case readMultipleResponse([UInt8])
    /// Each value with its length. Core 5.4, Vol 3, Part F, 3.4.4.11.
    case readMultipleVariableRequest(handles: [UInt16])
    /// `isCut`: the last value lacks its end.
    case readMultipleVariableResponse([[UInt8]], isCut: Bool = false)
    case readByGroupTypeRequest(start: UInt16, end: UInt16, type: BluetoothUUID)
    case readByGroupTypeResponse([GroupValue])
    case writeRequest(handle: UInt16, value: [UInt8])
    case writeResponse
    case prepareWriteRequest(handle: UInt16, offset: UInt16, value: [UInt8])
    case prepareWriteResponse(handle: UInt16, offset: UInt16, value: [UInt8])
    case executeWriteRequest(commit: Bool)
    case executeWriteResponse
    case notification(handle: UInt16, value: [UInt8])
    case multipleHandleValueNotification([AttributeValue])
    case indication(handle: UInt16, value: [UInt8])
    case confirmation
    case writeCommand(handle: UInt16, value: [UInt8])
    /// `signature`: 12 octets.
    case signedWriteCommand(handle: UInt16, value: [UInt8], signature: [UInt8])
    case unknown(opcode: ATTOpcode, parameters: [UInt8])

    package struct AttributeInformation: Equatable, Sendable {
        package let handle: UInt16
        package let type: BluetoothUUID

        package init(handle: UInt16, type: BluetoothUUID) {
            self.handle = handle
            self.type = type
        }
    }

    package struct HandleRange: Hashable, Sendable {
        package let start: UInt16
        package let end: UInt16

        package init(start: UInt16, end: UInt16) {
            self.start = start
            self.end = end
        }
    }

    package struct AttributeValue: Equatable, Sendable {
        package let handle: UInt16
        package let value: [UInt8]

        package init(handle: UInt16, value: [UInt8]) {
            self.handle = handle
            self.value = value
        }
    }

    package struct GroupValue: Equatable, Sendable {
        package let start: UInt16
        package let end: UInt16
        package let value: [UInt8]

        package init(start: UInt16, end: UInt16, value: [UInt8]) {
            self.start = start
            self.end = end
            self.value = value
        }
    }
}

extension ATTPDU {
    package var opcode: ATTOpcode {
        switch self {
        case .errorResponse: .errorResponse
        case .exchangeMTURequest: .exchangeMTURequest
        case .exchangeMTUResponse: .exchangeMTUResponse
        case .findInformationRequest: .findInformationRequest
        case .findInformationResponse: .findInformationResponse
        case .findByTypeValueRequest: .findByTypeValueRequest
        case .findByTypeValueResponse: .findByTypeValueResponse
        case .readByTypeRequest: .readByTypeRequest
        case .readByTypeResponse: .readByTypeResponse
        case .readRequest: .readRequest
        case .readResponse: .readResponse
        case .readBlobRequest: .readBlobRequest
        case .readBlobResponse: .readBlobResponse
        case .readMultipleRequest: .readMultipleRequest
        case .readMultipleResponse: .readMultipleResponse
        case .readMultipleVariableRequest: .readMultipleVariableRequest
        case .readMultipleVariableResponse: .readMultipleVariableResponse
        case .readByGroupTypeRequest: .readByGroupTypeRequest
        case .readByGroupTypeResponse: .readByGroupTypeResponse
        case .writeRequest: .writeRequest
        case .writeResponse: .writeResponse
        case .prepareWriteRequest: .prepareWriteRequest
        case .prepareWriteResponse: .prepareWriteResponse
        case .executeWriteRequest: .executeWriteRequest
        case .executeWriteResponse: .executeWriteResponse
        case .notification: .notification
        case .indication: .indication
        case .confirmation: .confirmation
        case .writeCommand: .writeCommand
        case .multipleHandleValueNotification: .multipleHandleValueNotification
        case .signedWriteCommand: .signedWriteCommand
        case .unknown(let opcode, _): opcode
        }
    }
}

extension ATTPDU {
    /// Read By Type Request with a type in 128 bits, even if the type has a short form: some servers do not treat the
    /// two forms as equal.
    package static func readByTypeRequest(start: UInt16, end: UInt16, longType type: BluetoothUUID) -> ATTPDU {
        var parameters: [UInt8] = []
        parameters.append(u16: start)
        parameters.append(u16: end)
        return .unknown(opcode: .readByTypeRequest, parameters: parameters + type.longOctets)
    }
}
