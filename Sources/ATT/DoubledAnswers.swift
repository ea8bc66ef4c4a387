// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Recognizes the repetitions of a server with two answers to each request. A repetition often comes when a later request
/// is outstanding, and must not count as the answer to the later request.
///
/// A repetition equals a recent answer octet by octet. The client holds such an answer back if the outstanding request
/// cannot have this answer, or if the server repeats its answers one after the other and this repetition is due. The next
/// answer replaces the held answer. If no answer follows in time, the held answer counts: the server gives equal answers to
/// different requests. However often the repetition comes, the time stays the same. Every other answer counts at once,
/// however odd the answer is.
struct DoubledAnswers: Sendable {
    enum Answer: Equatable, Sendable {
        case pdu(ATTPDU)
        /// Octets without a meaning: at least one of them is wrong, or missing.
        case malformed([UInt8])
    }

    /// A request with its answer.
    private struct Exchange {
        let request: ATTPDU
        let answer: Answer
        /// The answer has come once more.
        var isRepeated = false
    }

    /// The time from a held answer to the next answer. A connection interval has at most 4 s.
    static let patience: Duration = .seconds(5)
    /// Limit of mistakes on a bearer with answers that the outstanding request can have.
    static let limit = 4
    /// Limit of remembered exchanges. A repetition may be some requests late.
    static let memory = 4

    /// The newest exchanges, the oldest first.
    private var recent: [Exchange] = []
    /// The answer before the oldest of ``recent`` has come twice.
    private var isRepeatedBefore = false
    /// The number of requests from an answer to its repetition, as last seen; at least 1.
    private var lag = 1
    /// The number of held answers without a next answer.
    private var mistakes = 0
    /// The held answer. Counts if no other answer comes.
    private var held: Answer?
    /// The server has repeated an answer on this bearer without a doubt.
    private(set) var isProven = false

    /// An answer has no request, or has the opcode of another request.
    ///
    /// - Parameter isAsking: A request is outstanding.
    mutating func unexpected(_ answer: Answer, isAsking: Bool) {
        guard let place = place(of: answer) else { return }
        recent[place].isRepeated = true
        isProven = true
        lag = max(recent.count - place - (isAsking ? 0 : 1), 1)
    }

    /// True: the client holds the answer back, as a repetition of a recent answer.
    mutating func holds(_ answer: Answer, during request: ATTPDU) -> Bool {
        // Some servers name one handle in all refusals: without a proof, only the former answer counts.
        guard let place = isProven ? place(of: answer) : recent.indices.last, recent[place].answer == answer
        else { return false }
        // Several requests may have had this answer.
        let isForeign = recent[(isProven ? 0 : place)...].contains {
            $0.answer == answer && answer.isForeign(to: request, after: $0.request)
        }
        // Each mistake costs time: without a proof, the client makes a single mistake. With a proof, the octets of a foreign
        // answer outweigh all mistakes.
        guard isProven ? isForeign || mistakes < Self.limit : mistakes < 1 else { return false }
        guard isForeign || isDue(place) else { return false }
        recent[place].isRepeated = true
        lag = recent.count - place
        held = answer
        return true
    }

    /// The outstanding request has its answer.
    mutating func answered(_ answer: Answer, to request: ATTPDU) {
        if held != nil { isProven = true }
        held = nil
        recent.append(Exchange(request: request, answer: answer))
        guard recent.count > Self.memory else { return }
        isRepeatedBefore = recent.removeFirst().isRepeated
    }

    /// The held answer is the answer to the outstanding request.
    mutating func takeHeld(for request: ATTPDU) -> Answer? {
        guard let answer = held else { return nil }
        mistakes += 1
        (held, isRepeatedBefore) = (nil, false)
        // Without a next answer, the equal answers were no repetitions.
        recent = [Exchange(request: request, answer: answer)]
        return answer
    }

    /// The exchange with this answer, without a repetition if there is one.
    private func place(of answer: Answer) -> Int? {
        recent.firstIndex { $0.answer == answer && !$0.isRepeated } ?? recent.lastIndex { $0.answer == answer }
    }

    /// The answer before this one has come twice, and this one has come once. One repetition is due during a request, as
    /// late as the former repetitions.
    private func isDue(_ place: Int) -> Bool {
        guard held == nil, recent.count - place == lag else { return false }
        let isHabit = place == 0 ? isRepeatedBefore : recent[place - 1].isRepeated
        return isHabit && !recent[place].isRepeated
    }
}

extension DoubledAnswers.Answer {
    /// Whether the answer belongs to `former` and cannot belong to `request`.
    fileprivate func isForeign(to request: ATTPDU, after former: ATTPDU) -> Bool {
        switch self {
        case .pdu(let pdu): pdu.isForeign(to: request, after: former)
        case .malformed(let octets): octets.first != request.opcode.rawValue &+ 1
        }
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
