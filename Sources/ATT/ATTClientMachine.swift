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
        /// A response without a request.
        case unexpected(ATTOpcode)
    }

    package static let timeout: Duration = .seconds(30)

    private var outstanding: ATTOpcode?
    /// When the outstanding request is overdue.
    package private(set) var deadline: MonotonicTime?

    package init() {}

    package var isBusy: Bool { outstanding != nil }

    /// Notes that `request` has been sent. The caller asks ``isBusy`` first.
    package mutating func sent(_ request: ATTPDU, at now: MonotonicTime) {
        outstanding = request.opcode
        deadline = now + Self.timeout
    }

    /// Takes a response.
    package mutating func received(_ pdu: ATTPDU) -> Effect {
        guard let request = outstanding else { return .unexpected(pdu.opcode) }
        // An error belongs to the only outstanding request. Some servers name another request, or none.
        if case .errorResponse(_, _, let error) = pdu {
            clear()
            return .answered(.failure(.refused(error)))
        }
        // A response's opcode is its request's plus one.
        guard pdu.opcode.rawValue == request.rawValue + 1 else { return .unexpected(pdu.opcode) }
        clear()
        return .answered(.success(pdu))
    }

    /// Takes a malformed response.
    package mutating func receivedMalformed(opcode: ATTOpcode) -> Effect {
        guard outstanding != nil else { return .unexpected(opcode) }
        clear()
        return .answered(.failure(.malformed))
    }

    /// True once when the outstanding request is overdue.
    package mutating func expire(at now: MonotonicTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        clear()
        return true
    }

    private mutating func clear() {
        outstanding = nil
        deadline = nil
    }
}
