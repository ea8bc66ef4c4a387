// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension ATTPDU {
    /// The octets on the air. Lists are written as they are: the caller keeps them within the MTU and of one width.
    package var encoded: [UInt8] {
        var octets = [opcode.rawValue]
        switch self {
        case .errorResponse(let request, let handle, let error):
            octets.append(request.rawValue)
            octets.append(u16: handle)
            octets.append(error.rawValue)
        case .exchangeMTURequest(let mtu), .exchangeMTUResponse(let mtu):
            octets.append(u16: mtu)
        case .findInformationRequest(let start, let end):
            octets.append(u16: start)
            octets.append(u16: end)
        case .findInformationResponse(let list):
            octets.append(list.first?.type.short == nil ? 2 : 1)
            for item in list {
                octets.append(u16: item.handle)
                octets.append(contentsOf: item.type.attributeOctets)
            }
        case .findByTypeValueRequest(let start, let end, let type, let value):
            octets.append(u16: start)
            octets.append(u16: end)
            octets.append(u16: type)
            octets.append(contentsOf: value)
        case .findByTypeValueResponse(let list):
            for item in list {
                octets.append(u16: item.start)
                octets.append(u16: item.end)
            }
        case .readByTypeRequest(let start, let end, let type), .readByGroupTypeRequest(let start, let end, let type):
            octets.append(u16: start)
            octets.append(u16: end)
            octets.append(contentsOf: type.attributeOctets)
        case .readByTypeResponse(let list):
            octets.append(UInt8(truncatingIfNeeded: 2 + (list.first?.value.count ?? 0)))
            for item in list {
                octets.append(u16: item.handle)
                octets.append(contentsOf: item.value)
            }
        case .readByGroupTypeResponse(let list):
            octets.append(UInt8(truncatingIfNeeded: 4 + (list.first?.value.count ?? 0)))
            for item in list {
                octets.append(u16: item.start)
                octets.append(u16: item.end)
                octets.append(contentsOf: item.value)
            }
        case .readRequest(let handle):
            octets.append(u16: handle)
        case .readBlobRequest(let handle, let offset):
            octets.append(u16: handle)
            octets.append(u16: offset)
        case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
            for handle in handles { octets.append(u16: handle) }
        case .readMultipleVariableResponse(let values, let isCut):
            for (index, value) in values.enumerated() {
                // The length is that of the whole value, of which only this much is known.
                let missing = isCut && index == values.count - 1 ? 1 : 0
                octets.append(u16: UInt16(truncatingIfNeeded: value.count + missing))
                octets.append(contentsOf: value)
            }
        case .multipleHandleValueNotification(let list):
            for item in list {
                octets.append(u16: item.handle)
                octets.append(u16: UInt16(truncatingIfNeeded: item.value.count))
                octets.append(contentsOf: item.value)
            }
        case .signedWriteCommand(let handle, let value, let signature):
            octets.append(u16: handle)
            octets.append(contentsOf: value)
            octets.append(contentsOf: signature)
        case .readResponse(let value), .readBlobResponse(let value), .readMultipleResponse(let value),
            .unknown(_, let value):
            octets.append(contentsOf: value)
        case .writeRequest(let handle, let value), .writeCommand(let handle, let value),
            .notification(let handle, let value), .indication(let handle, let value):
            octets.append(u16: handle)
            octets.append(contentsOf: value)
        case .prepareWriteRequest(let handle, let offset, let value),
            .prepareWriteResponse(let handle, let offset, let value):
            octets.append(u16: handle)
            octets.append(u16: offset)
            octets.append(contentsOf: value)
        case .executeWriteRequest(let commit):
            octets.append(commit ? 1 : 0)
        case .writeResponse, .executeWriteResponse, .confirmation:
            break
        }
        return octets
    }
}
