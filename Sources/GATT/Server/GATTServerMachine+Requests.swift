// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

extension GATTServerMachine {
    /// Begins a request; the request is over if ``asked`` is nil afterwards.
    mutating func request(
        _ octets: ArraySlice<UInt8>, arrival: MonotonicTime, in context: ServerContext, _ effects: inout [Effect]
    ) {
        let opcode = ATTOpcode(rawValue: octets.first ?? 0)
        let pdu: ATTPDU
        do {
            pdu = try ATTPDU(decoding: octets)
        } catch {
            return refuse(opcode, .invalidPDU, 0, &effects)
        }
        if let handle = outOfSync(pdu) { return refuse(opcode, .databaseOutOfSync, handle, &effects) }
        switch pdu {
        case .exchangeMTURequest(let theirs):
            exchangeMTU(theirs, &effects)
        case .findInformationRequest(let start, let end):
            guard check(opcode, start, end, &effects) else { return }
            findInformation(start, end, context, &effects)
        case .findByTypeValueRequest(let start, let end, let type, let value):
            guard check(opcode, start, end, &effects) else { return }
            findByTypeValue(start, end, BluetoothUUID(type), value, context, &effects)
        case .readByTypeRequest(let start, let end, let type):
            guard check(opcode, start, end, &effects) else { return }
            readByType(start, end, type, arrival, context, &effects)
        case .readByGroupTypeRequest(let start, let end, let type):
            guard check(opcode, start, end, &effects) else { return }
            readByGroupType(start, end, type, context, &effects)
        case .readRequest(let handle):
            read(opcode, handle, offset: 0, arrival, context, &effects)
        case .readBlobRequest(let handle, let offset):
            read(opcode, handle, offset: Int(offset), arrival, context, &effects)
        case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
            readMultiple(opcode, handles, arrival, context, &effects)
        case .writeRequest(let handle, let value):
            write(handle, value, arrival, context, &effects)
        case .prepareWriteRequest(let handle, let offset, let value):
            prepareWrite(handle, offset, value, context, &effects)
        case .executeWriteRequest(let commit):
            executeWrite(commit: commit, arrival, context, &effects)
        default:
            refuse(opcode, .requestNotSupported, 0, &effects)
        }
    }

    mutating func send(_ pdu: ATTPDU, _ effects: inout [Effect]) { effects.append(.send(pdu.encoded)) }

    mutating func refuse(
        _ opcode: ATTOpcode, _ error: ATTErrorCode, _ handle: UInt16, _ effects: inout [Effect]
    ) {
        send(.errorResponse(request: opcode, handle: handle, error: error), &effects)
    }

    /// Asks an owner, and keeps the request until the owner's answer.
    mutating func ask(
        _ owner: ServerOwner, _ handle: UInt16, _ need: AskedOwner.Need, _ arrival: MonotonicTime
    ) -> ServerRequestID {
        lastID += 1
        let id = ServerRequestID(rawValue: lastID)
        asked = AskedOwner(id: id, owner: owner, handle: handle, need: need, arrival: arrival)
        return id
    }

    /// Begins the waiting requests, up to the next one that needs an owner.
    mutating func resume(_ context: ServerContext, _ effects: inout [Effect]) {
        while asked == nil, !isClosed, !waiting.isEmpty {
            let (octets, arrival) = waiting.removeFirst()
            request(octets[...], arrival: arrival, in: context, &effects)
        }
    }

    /// Core 5.4, Vol 3, Part F, 3.4.2. A client exchanges the MTU once a link. A repetition gets the same answer, and
    /// the MTU stays unchanged.
    private mutating func exchangeMTU(_ theirs: UInt16, _ effects: inout [Effect]) {
        send(.exchangeMTUResponse(mtu: UInt16(truncatingIfNeeded: ownMTU)), &effects)
        guard !hasExchangedMTU else { return }
        hasExchangedMTU = true
        mtu = max(Self.defaultMTU, min(ownMTU, Int(theirs)))
        effects.append(.mtuExchanged(mtu))
    }

    /// Core 5.4, Vol 3, Part F, 3.4.3.1: the error names the starting handle.
    private mutating func check(
        _ opcode: ATTOpcode, _ start: UInt16, _ end: UInt16, _ effects: inout [Effect]
    ) -> Bool {
        guard start == 0 || start > end else { return true }
        refuse(opcode, .invalidHandle, start, &effects)
        return false
    }
}

extension ATTOpcode {
    /// Responses and updates come only from servers: a server does not accept them.
    package var isResponseOrUpdate: Bool {
        switch self {
        case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
            .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse, .readByGroupTypeResponse,
            .writeResponse, .prepareWriteResponse, .executeWriteResponse, .readMultipleVariableResponse,
            .notification, .indication, .multipleHandleValueNotification:
            true
        default:
            false
        }
    }
}
