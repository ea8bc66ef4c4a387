// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Recognizes the second answers of a server that answers requests twice. Such an answer often comes when the next request
/// is outstanding, and must not count as the answer to that request.
///
/// An answer is held back if it equals the former answer and cannot belong to the outstanding request. An equal answer that
/// can belong to the request is held back, too, if the answer before the former one came twice. The next answer replaces the
/// held one. If no answer follows in time, the held one counts: this server gives equal answers to different requests.
struct DoubledAnswers: Sendable {
    enum Answer: Equatable, Sendable {
        case pdu(ATTPDU)
        case malformed(ATTOpcode)
    }

    /// How long a held answer waits for the next answer: a few connection intervals of at most 4 s.
    static let patience: Duration = .seconds(5)
    /// Limit of answers that are held back during one request, and of mistakes on one bearer.
    static let limit = 4

    /// The last request with an answer.
    private var former: (request: ATTPDU, answer: Answer)?
    /// The former answer has come twice.
    private var hasComeTwice = false
    /// The answer before the former one has come twice.
    private var isHabit = false
    /// Held answers that counted in the end.
    private var mistakes = 0
    /// Answers that were held back during this request.
    private var strays = 0
    /// The answer that counts if no other answer comes.
    private(set) var held: ATTPDU?
    /// An answer has come twice on this bearer without a doubt.
    private(set) var isProven = false

    /// An answer has no request, or has the opcode of another request.
    mutating func unexpected(_ answer: Answer) {
        guard answer == former?.answer else { return }
        (hasComeTwice, isProven) = (true, true)
    }

    /// Whether a malformed answer is the former one once more, and not an answer to `request`.
    func isFormer(_ answer: Answer, besides request: ATTPDU) -> Bool {
        guard case .malformed(let opcode) = answer else { return false }
        return answer == former?.answer && !opcode.isResponse(to: request.opcode)
    }

    /// True: the answer is held back, since it seems to be the former answer once more.
    mutating func holds(_ pdu: ATTPDU, during request: ATTPDU) -> Bool {
        guard let former, former.answer == .pdu(pdu), strays < Self.limit else { return false }
        // Each mistake costs time: a server without a proof is suspected once.
        guard mistakes < (isProven ? Self.limit : 1) else { return false }
        guard pdu.isForeign(to: request, after: former.request) || isHabit && !hasComeTwice else { return false }
        strays += 1
        (held, hasComeTwice) = (pdu, true)
        return true
    }

    /// The outstanding request has its answer.
    mutating func answered(_ answer: Answer, to request: ATTPDU) {
        if held != nil { isProven = true }
        former = (request, answer)
        (isHabit, hasComeTwice, held, strays) = (hasComeTwice, false, nil, 0)
    }

    /// The held answer is the answer to the outstanding request.
    mutating func takeHeld(for request: ATTPDU) -> ATTPDU? {
        guard let pdu = held else { return nil }
        former = (request, .pdu(pdu))
        mistakes += 1
        (isHabit, hasComeTwice, held, strays) = (false, false, nil, 0)
        return pdu
    }
}

extension ATTPDU {
    /// Whether the response cannot be the answer to `request`, and is one to `former`. Core 5.4, Vol 3, Part F, 3.4.
    fileprivate func isForeign(to request: ATTPDU, after former: ATTPDU) -> Bool {
        let handles: [UInt16]
        switch self {
        case .errorResponse(let opcode, let handle, _):
            return names(opcode, handle, former) && !names(opcode, handle, request)
        case .prepareWriteResponse(let handle, let offset, _):
            guard case .prepareWriteRequest(let askedHandle, let askedOffset, _) = request else { return false }
            return handle != askedHandle || offset != askedOffset
        case .findInformationResponse(let items): handles = items.map(\.handle)
        case .findByTypeValueResponse(let items): handles = items.map(\.start)
        case .readByTypeResponse(let items): handles = items.map(\.handle)
        case .readByGroupTypeResponse(let items): handles = items.map(\.start)
        default: return false
        }
        guard let range = request.askedRange, !handles.isEmpty else { return false }
        return handles.allSatisfy { $0 < range.start || $0 > range.end }
    }

    /// Whether an error response with this opcode and this handle names the request.
    private func names(_ opcode: ATTOpcode, _ handle: UInt16, _ request: ATTPDU) -> Bool {
        request.opcode == opcode && (request.firstHandle ?? 0) == handle
    }

    /// The handles that a request searches.
    private var askedRange: HandleRange? {
        switch self {
        case .findInformationRequest(let start, let end), .findByTypeValueRequest(let start, let end, _, _),
            .readByTypeRequest(let start, let end, _), .readByGroupTypeRequest(let start, let end, _):
            return HandleRange(start: start, end: end)
        case .unknown(.readByTypeRequest, let parameters):
            var reader = ByteReader(parameters)
            guard let start = try? reader.u16("Starting Handle"), let end = try? reader.u16("Ending Handle") else {
                return nil
            }
            return HandleRange(start: start, end: end)
        default: return nil
        }
    }

    /// The handle that an error response to this request names; nil for a request without handles.
    private var firstHandle: UInt16? {
        switch self {
        case .readRequest(let handle), .readBlobRequest(let handle, _), .writeRequest(let handle, _),
            .prepareWriteRequest(let handle, _, _):
            handle
        case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles): handles.first
        default: askedRange?.start
        }
    }
}
