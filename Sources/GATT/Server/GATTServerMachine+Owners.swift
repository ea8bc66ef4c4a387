// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

extension GATTServerMachine {
    /// An owner answers ``Effect/read(_:)`` with the value from the offset on, or refuses. `isTaken` is false, and
    /// nothing changes, if `id` is not the present request: answered already, timed out, or ended with its owner.
    package mutating func answerRead(
        _ id: ServerRequestID, _ result: Result<[UInt8], ATTErrorCode>, in context: ServerContext
    ) -> (isTaken: Bool, effects: [Effect]) {
        guard let asked, asked.id == id else { return (false, []) }
        switch asked.need {
        case .write, .execute: return (false, [])
        case .read, .readByType, .readMultiple: break
        }
        self.asked = nil
        var effects: [Effect] = []
        // The link may be less secure since the owner was asked.
        if case .success = result, let (error, handle) = refusal(ofReading: [asked.handle], context) {
            refuse(asked.opcode, error, handle, &effects)
            resume(context, &effects)
            finish(context, &effects)
            return (true, effects)
        }
        switch (result, asked.need) {
        case (.failure(let error), _):
            refuse(asked.opcode, error.asRefusal, asked.handle, &effects)
        case (.success(let value), .read(let opcode)):
            answer(opcode, value[...], &effects)
        case (.success(let value), .readByType):
            let value = Array(value.prefix(longestListedValue))
            send(.readByTypeResponse([.init(handle: asked.handle, value: value)]), &effects)
        case (.success(let value), .readMultiple(var reading)):
            reading.append(Array(value.prefix(Attribute.maximumLength)), of: asked.handle)
            proceed(reading, asked.arrival, context, &effects)
        case (.success, .write), (.success, .execute):
            break
        }
        resume(context, &effects)
        finish(context, &effects)
        return (true, effects)
    }

    /// An owner has accepted all items of an ``Effect/write(_:)``, or refuses all of them. `handle`: the refused item's
    /// handle; nil: the first item's. `isTaken` is false if `id` is not the present request.
    package mutating func answerWrite(
        _ id: ServerRequestID, error: ATTErrorCode? = nil, handle: UInt16? = nil, in context: ServerContext
    ) -> (isTaken: Bool, effects: [Effect]) {
        guard let asked, asked.id == id else { return (false, []) }
        switch asked.need {
        case .read, .readByType, .readMultiple: return (false, [])
        case .write, .execute: break
        }
        self.asked = nil
        var effects: [Effect] = []
        if let error {
            refuse(asked.opcode, error.asRefusal, handle ?? asked.handle, &effects)
        } else if case .execute(let execution) = asked.need {
            proceed(execution, asked.arrival, context, &effects)
        } else {
            send(.writeResponse, &effects)
        }
        resume(context, &effects)
        finish(context, &effects)
        return (true, effects)
    }

    /// The owner will not answer any more.
    package mutating func ownerGone(_ owner: ServerOwner, in context: ServerContext) -> [Effect] {
        var effects: [Effect] = []
        guard let asked, asked.owner == owner else { return effects }
        abandon(asked, context, &effects)
        finish(context, &effects)
        return effects
    }

    /// Ends a request whose owner cannot answer.
    mutating func abandon(_ asked: AskedOwner, _ context: ServerContext, _ effects: inout [Effect]) {
        self.asked = nil
        refuse(asked.opcode, .unlikelyError, asked.handle, &effects)
        resume(context, &effects)
    }
}

extension AskedOwner {
    /// The opcode of the client's request.
    var opcode: ATTOpcode {
        switch need {
        case .read(let opcode): opcode
        case .readByType: .readByTypeRequest
        case .readMultiple(let reading): reading.opcode
        case .write: .writeRequest
        case .execute: .executeWriteRequest
        }
    }
}

extension ATTErrorCode {
    /// 0 is no error, yet the owner refused.
    fileprivate var asRefusal: ATTErrorCode { rawValue == 0 ? .unlikelyError : self }
}
