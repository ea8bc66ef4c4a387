// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The server side of a bearer with an empty database: what a host answers that publishes nothing.
/// Core 5.4, Vol 3, Part F, 3.4.
package enum ATTServerRefusal {
    /// The answer to a client's PDU; nil for commands, which are never answered.
    package static func answer(to octets: ArraySlice<UInt8>, mtu: UInt16) -> ATTPDU? {
        guard let first = octets.first else { return nil }
        let opcode = ATTOpcode(rawValue: first)
        guard !opcode.isCommand else { return nil }
        func refuse(_ error: ATTErrorCode, _ handle: UInt16 = 0) -> ATTPDU {
            .errorResponse(request: opcode, handle: handle, error: error)
        }
        guard let pdu = try? ATTPDU(decoding: octets) else { return refuse(.invalidPDU) }
        switch pdu {
        case .exchangeMTURequest: return .exchangeMTUResponse(mtu: mtu)
        case .findInformationRequest(let start, let end), .findByTypeValueRequest(let start, let end, _, _),
            .readByTypeRequest(let start, let end, _), .readByGroupTypeRequest(let start, let end, _):
            return refuse(start == 0 || start > end ? .invalidHandle : .attributeNotFound, start)
        case .readRequest(let handle), .readBlobRequest(let handle, _), .writeRequest(let handle, _),
            .prepareWriteRequest(let handle, _, _):
            return refuse(.invalidHandle, handle)
        default: return refuse(.requestNotSupported)
        }
    }
}
