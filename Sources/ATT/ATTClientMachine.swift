// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The client side of one ATT bearer: at most one request outstanding; a response that does not come within 30 s
/// makes the bearer unusable. Core 5.4, Vol 3, Part F, 3.3.2 and 3.3.3.
package struct ATTClientMachine: Sendable {
    package enum Failure: Error, Equatable, Sendable {
        /// The server answered with an error.
        case refused(ATTErrorCode)
        /// No answer came in 30 s; the link has to end.
        case timedOut
        /// The answer could not be read, or does not fit the request.
        case malformed
    }

    package enum Effect: Equatable, Sendable {
        /// The answer to the outstanding request.
        case answered(Result<ATTPDU, Failure>)
        /// A response without a request, or a repetition of the former response.
        case unexpected(ATTOpcode)
    }

    package static let timeout: Duration = .seconds(30)

    private var outstanding: ATTPDU?
    /// When the outstanding request is overdue, or a held answer counts.
    package private(set) var deadline: MonotonicTime?
    private var doubled = DoubledAnswers()

    package init() {}

    package var isBusy: Bool { outstanding != nil }

    /// The server has given an answer twice.
    package var answersTwice: Bool { doubled.isProven }

    /// Notes that `request` has been sent. The caller asks ``isBusy`` first.
    package mutating func sent(_ request: ATTPDU, at now: MonotonicTime) {
        outstanding = request
        deadline = now + Self.timeout
    }

    /// Takes a response.
    package mutating func received(_ pdu: ATTPDU, at now: MonotonicTime) -> Effect {
        guard let request = outstanding, Self.canAnswer(pdu, request) else {
            doubled.unexpected(.pdu(pdu), isAsking: isBusy)
            return .unexpected(pdu.opcode)
        }
        return settle(.pdu(pdu), to: request, at: now)
    }

    /// Takes a malformed response.
    package mutating func receivedMalformed(_ octets: [UInt8], at now: MonotonicTime) -> Effect {
        guard let request = outstanding else {
            doubled.unexpected(.malformed(octets), isAsking: false)
            return .unexpected(DoubledAnswers.Answer.malformed(octets).opcode)
        }
        return settle(.malformed(octets), to: request, at: now)
    }

    private mutating func settle(_ answer: DoubledAnswers.Answer, to request: ATTPDU, at now: MonotonicTime) -> Effect {
        if doubled.holds(answer, during: request) {
            deadline = min(deadline ?? now, now + DoubledAnswers.patience)
            return .unexpected(answer.opcode)
        }
        doubled.answered(answer, to: request)
        clear()
        return .answered(answer.result)
    }

    /// The outcome of an overdue request, or a held answer without a next answer; nil before the deadline.
    package mutating func expire(at now: MonotonicTime) -> Effect? {
        guard let deadline, deadline <= now else { return nil }
        let held = outstanding.flatMap { doubled.takeHeld(for: $0) }
        clear()
        return .answered(held?.result ?? .failure(.timedOut))
    }

    /// An error belongs to the only outstanding request: some servers name another request, or none.
    private static func canAnswer(_ pdu: ATTPDU, _ request: ATTPDU) -> Bool {
        if case .errorResponse = pdu { return true }
        return pdu.opcode.isResponse(to: request.opcode)
    }

    private mutating func clear() {
        outstanding = nil
        deadline = nil
    }
}

extension DoubledAnswers.Answer {
    fileprivate var opcode: ATTOpcode {
        switch self {
        case .pdu(let pdu): pdu.opcode
        case .malformed(let octets): ATTOpcode(rawValue: octets.first ?? 0)
        }
    }

    fileprivate var result: Result<ATTPDU, ATTClientMachine.Failure> {
        switch self {
        case .pdu(.errorResponse(_, _, let error)): .failure(.refused(error))
        case .pdu(let pdu): .success(pdu)
        case .malformed: .failure(.malformed)
        }
    }
}
