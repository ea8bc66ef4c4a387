// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension ATTPDU {
    package init(decoding octets: ArraySlice<UInt8>) throws(DecodeError) {
        var reader = ByteReader(octets)
        let opcode = ATTOpcode(rawValue: try reader.u8("Attribute Opcode"))
        switch opcode {
        case .errorResponse:
            self = .errorResponse(
                request: ATTOpcode(rawValue: try reader.u8("Request Opcode In Error")),
                handle: try reader.u16("Attribute Handle In Error"),
                error: ATTErrorCode(rawValue: try reader.u8("Error Code")))
        case .exchangeMTURequest:
            self = .exchangeMTURequest(mtu: try reader.u16("Client Rx MTU"))
        case .exchangeMTUResponse:
            self = .exchangeMTUResponse(mtu: try reader.u16("Server Rx MTU"))
        case .findInformationRequest:
            self = .findInformationRequest(
                start: try reader.u16("Starting Handle"), end: try reader.u16("Ending Handle"))
        case .findInformationResponse:
            self = .findInformationResponse(try Self.informationList(&reader))
        case .findByTypeValueRequest:
            self = .findByTypeValueRequest(
                start: try reader.u16("Starting Handle"), end: try reader.u16("Ending Handle"),
                type: try reader.u16("Attribute Type"), value: Array(reader.rest()))
        case .findByTypeValueResponse:
            self = .findByTypeValueResponse(try Self.handleRanges(&reader))
        case .readByTypeRequest:
            self = .readByTypeRequest(
                start: try reader.u16("Starting Handle"), end: try reader.u16("Ending Handle"),
                type: try Self.uuid(&reader))
        case .readByTypeResponse:
            self = .readByTypeResponse(try Self.valueList(&reader))
        case .readMultipleRequest: self = .readMultipleRequest(handles: try Self.handles(&reader))
        case .readMultipleVariableRequest: self = .readMultipleVariableRequest(handles: try Self.handles(&reader))
        case .readMultipleResponse: self = .readMultipleResponse(Array(reader.rest()))
        case .readMultipleVariableResponse:
            let (values, isCut) = try Self.variableValues(&reader)
            self = .readMultipleVariableResponse(values, isCut: isCut)
        case .multipleHandleValueNotification:
            self = .multipleHandleValueNotification(try Self.notifiedValues(&reader))
        case .signedWriteCommand:
            let handle = try reader.u16("Attribute Handle")
            guard reader.remaining >= Self.signatureLength else { throw .truncated(field: "Authentication Signature") }
            let value = try reader.bytes(reader.remaining - Self.signatureLength, "Attribute Value")
            self = .signedWriteCommand(handle: handle, value: Array(value), signature: Array(reader.rest()))
        case .readByGroupTypeRequest:
            self = .readByGroupTypeRequest(
                start: try reader.u16("Starting Handle"), end: try reader.u16("Ending Handle"),
                type: try Self.uuid(&reader))
        case .readByGroupTypeResponse:
            self = .readByGroupTypeResponse(try Self.groupList(&reader))
        case .readRequest:
            self = .readRequest(handle: try reader.u16("Attribute Handle"))
        case .readBlobRequest:
            self = .readBlobRequest(
                handle: try reader.u16("Attribute Handle"), offset: try reader.u16("Value Offset"))
        case .prepareWriteRequest:
            self = .prepareWriteRequest(
                handle: try reader.u16("Attribute Handle"), offset: try reader.u16("Value Offset"),
                value: Array(reader.rest()))
        case .prepareWriteResponse:
            self = .prepareWriteResponse(
                handle: try reader.u16("Attribute Handle"), offset: try reader.u16("Value Offset"),
                value: Array(reader.rest()))
        case .executeWriteRequest:
            let flags = try reader.u8("Flags")
            guard flags <= 1 else { throw .invalid(field: "Flags") }
            self = .executeWriteRequest(commit: flags == 1)
        case .readResponse: self = .readResponse(Array(reader.rest()))
        case .readBlobResponse: self = .readBlobResponse(Array(reader.rest()))
        case .writeRequest: self = .writeRequest(handle: try reader.u16("Handle"), value: Array(reader.rest()))
        case .writeCommand: self = .writeCommand(handle: try reader.u16("Handle"), value: Array(reader.rest()))
        case .notification: self = .notification(handle: try reader.u16("Handle"), value: Array(reader.rest()))
        case .indication: self = .indication(handle: try reader.u16("Handle"), value: Array(reader.rest()))
        case .writeResponse: self = .writeResponse
        case .executeWriteResponse: self = .executeWriteResponse
        case .confirmation: self = .confirmation
        default: self = .unknown(opcode: opcode, parameters: Array(reader.rest()))
        }
        try reader.finish()
    }

    /// Core 5.4, Vol 3, Part C, 10.4.1.
    private static let signatureLength = 12

    /// Two handles or more. Core 5.4, Vol 3, Part F, 3.4.4.7 and 3.4.4.11.
    private static func handles(_ reader: inout ByteReader) throws(DecodeError) -> [UInt16] {
        var list = [try reader.u16("Set Of Handles")]
        repeat { list.append(try reader.u16("Set Of Handles")) } while reader.remaining > 0
        return list
    }

    /// The last value may be cut: its length is that of the whole value. Core 5.4, Vol 3, Part F, 3.4.4.12.
    private static func variableValues(
        _ reader: inout ByteReader
    ) throws(DecodeError) -> (values: [[UInt8]], isCut: Bool) {
        var list: [[UInt8]] = []
        var isCut = false
        repeat {
            let length = Int(try reader.u16("Value Length"))
            isCut = length > reader.remaining
            list.append(Array(try reader.bytes(min(length, reader.remaining), "Attribute Value")))
        } while reader.remaining > 0
        return (list, isCut)
    }

    /// Core 5.4, Vol 3, Part F, 3.4.7.4.
    private static func notifiedValues(_ reader: inout ByteReader) throws(DecodeError) -> [AttributeValue] {
        var list: [AttributeValue] = []
        repeat {
            let handle = try reader.u16("Attribute Handle")
            let length = Int(try reader.u16("Value Length"))
            list.append(AttributeValue(handle: handle, value: Array(try reader.bytes(length, "Attribute Value"))))
        } while reader.remaining > 0
        return list
    }

    private static func uuid(_ reader: inout ByteReader) throws(DecodeError) -> BluetoothUUID {
        guard reader.remaining == 2 || reader.remaining == 16, let uuid = BluetoothUUID(littleEndian: reader.rest())
        else { throw .invalid(field: "Attribute Type") }
        return uuid
    }

    private static func informationList(
        _ reader: inout ByteReader
    ) throws(DecodeError) -> [AttributeInformation] {
        let format = try reader.u8("Format")
        guard format == 1 || format == 2 else { throw .invalid(field: "Format") }
        let width = format == 1 ? 2 : 16
        var list: [AttributeInformation] = []
        repeat {
            let handle = try reader.u16("Handle")
            guard let type = BluetoothUUID(littleEndian: try reader.bytes(width, "UUID")) else {
                throw .invalid(field: "UUID")
            }
            list.append(AttributeInformation(handle: handle, type: type))
        } while reader.remaining > 0
        return list
    }

    private static func handleRanges(_ reader: inout ByteReader) throws(DecodeError) -> [HandleRange] {
        var list: [HandleRange] = []
        repeat {
            list.append(
                HandleRange(
                    start: try reader.u16("Found Attribute Handle"), end: try reader.u16("Group End Handle")))
        } while reader.remaining > 0
        return list
    }

    private static func valueList(_ reader: inout ByteReader) throws(DecodeError) -> [AttributeValue] {
        let length = Int(try reader.u8("Length"))
        guard length >= 2 else { throw .invalid(field: "Length") }
        var list: [AttributeValue] = []
        repeat {
            let handle = try reader.u16("Attribute Handle")
            list.append(
                AttributeValue(handle: handle, value: Array(try reader.bytes(length - 2, "Attribute Value"))))
        } while reader.remaining > 0
        return list
    }

    private static func groupList(_ reader: inout ByteReader) throws(DecodeError) -> [GroupValue] {
        let length = Int(try reader.u8("Length"))
        guard length >= 4 else { throw .invalid(field: "Length") }
        var list: [GroupValue] = []
        repeat {
            let start = try reader.u16("Attribute Handle")
            let end = try reader.u16("End Group Handle")
            list.append(
                GroupValue(start: start, end: end, value: Array(try reader.bytes(length - 4, "Attribute Value"))))
        } while reader.remaining > 0
        return list
    }
}
