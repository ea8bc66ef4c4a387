// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Recognizes the repetitions of a server with two answers to each request. A repetition often comes when the next request
/// is outstanding, and must not count as the answer to the next request.
///
/// The client holds an answer back if the former answer was equal and the outstanding request cannot have this answer. If
/// the last two answers were repeated, the client holds every equal answer back. The next answer replaces the held answer.
/// If no answer follows in time, the held answer counts: the server gives equal answers to different requests.
struct DoubledAnswers: Sendable {
    enum Answer: Equatable, Sendable {
        case pdu(ATTPDU)
        case malformed(ATTOpcode)
    }

    /// The time from a held answer to the next answer. A connection interval has at most 4 s.
    static let patience: Duration = .seconds(5)
    /// Limit of held answers during a request, and of mistakes on a bearer.
    static let limit = 4

    /// The last request with an answer.
    private var former: (request: ATTPDU, answer: Answer)?
    /// The former answer was repeated.
    private var hasComeTwice = false
    /// The answer before the former answer was repeated.
    private var isHabit = false
    /// The number of held answers without a next answer.
    private var mistakes = 0
    /// The number of held answers during this request.
    private var strays = 0
    /// The held answer. Counts if no other answer comes.
    private(set) var held: ATTPDU?
    /// The server has repeated an answer on this bearer without a doubt.
    private(set) var isProven = false

    /// An answer has no request, or has the opcode of another request.
    mutating func unexpected(_ answer: Answer) {
        guard answer == former?.answer else { return }
        (hasComeTwice, isProven) = (true, true)
    }

    /// Whether a malformed answer repeats the former answer, and cannot belong to `request`.
    func isFormer(_ answer: Answer, besides request: ATTPDU) -> Bool {
        guard case .malformed(let opcode) = answer else { return false }
        return answer == former?.answer && !opcode.isResponse(to: request.opcode)
    }

    /// True: the client holds the answer back, as a repetition of the former answer.
    mutating func holds(_ pdu: ATTPDU, during request: ATTPDU) -> Bool {
        guard let former, former.answer == .pdu(pdu), strays < Self.limit else { return false }
        // Each mistake costs time: without a proof, the client makes a single mistake.
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
    /// Whether the response answers `former` and cannot answer `request`. Core 5.4, Vol 3, Part F, 3.4.
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

    /// The range of handles of a search.
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

    /// The handle in an error response to this request; nil for a request without handles.
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
