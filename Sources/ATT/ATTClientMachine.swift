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
            doubled.unexpected(.pdu(pdu))
            return .unexpected(pdu.opcode)
        }
        if doubled.holds(pdu, during: request) {
            deadline = min(deadline ?? now, now + DoubledAnswers.patience)
            return .unexpected(pdu.opcode)
        }
        doubled.answered(.pdu(pdu), to: request)
        clear()
        return .answered(Self.result(pdu))
    }

    /// Takes a malformed response.
    package mutating func receivedMalformed(opcode: ATTOpcode) -> Effect {
        guard let request = outstanding, !doubled.isFormer(.malformed(opcode), besides: request) else {
            doubled.unexpected(.malformed(opcode))
            return .unexpected(opcode)
        }
        doubled.answered(.malformed(opcode), to: request)
        clear()
        return .answered(.failure(.malformed))
    }

    /// The outcome of an overdue request, or a held answer without a next answer; nil before the deadline.
    package mutating func expire(at now: MonotonicTime) -> Effect? {
        guard let deadline, deadline <= now else { return nil }
        let held = outstanding.flatMap { doubled.takeHeld(for: $0) }
        clear()
        return .answered(held.map(Self.result) ?? .failure(.timedOut))
    }

    /// An error belongs to the only outstanding request: some servers name
    /// another request, or none.
    private static func canAnswer(_ pdu: ATTPDU, _ request: ATTPDU) -> Bool {
        if case .errorResponse = pdu { return true }
        return pdu.opcode.isResponse(to: request.opcode)
    }

    private static func result(_ pdu: ATTPDU) -> Result<ATTPDU, Failure> {
        if case .errorResponse(_, _, let error) = pdu { .failure(.refused(error)) } else { .success(pdu) }
    }

    private mutating func clear() {
        outstanding = nil
        deadline = nil
    }
}
