// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why a controller cannot be reached, and what a person can do about it.
package struct TransportError: Error, Equatable, Sendable {
    package enum Kind: String, Sendable {
        /// Somebody else holds the adapter; it may become free.
        case busy
        /// The kernel could not set it up, and keeps it from everybody until its driver lets it go; or it has just found it.
        case unfinished
        /// The process may not take the adapter over.
        case notPermitted
        /// There is no such adapter, socket or device.
        case notFound
        /// A radio kill switch is on.
        case blocked
        /// It was open and is gone.
        case lost
        case other

        /// The kernel is at work with the adapter, or may be: what it says next counts.
        package var isPassing: Bool { self == .busy || self == .unfinished }
    }

    /// Other ways to a controller, as a program's code names them; a program with an option for them names the option instead.
    package static let otherTransports = "CBController(transport:stateDirectory:) with .tcp, .unix or .serial"

    package let kind: Kind
    package let message: String

    package init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }

    /// A failed system call on what `subject` names; call at once, while errno still holds. `advice` says what a person
    /// can do about an errno.
    static func systemCall(
        _ call: StaticString, on subject: String, advice: (Int32) -> String? = { _ in nil }
    ) -> TransportError {
        let number = errno
        let reason = String(cString: strerror(number))
        let kind: Kind =
            switch number {
            case ENOENT, ENODEV, ENXIO, ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT: .notFound
            case EPERM, EACCES: .notPermitted
            case EBUSY: .busy
            default: .other
            }
        let hint = advice(number).map { ". \($0)" } ?? ""
        return TransportError(kind: kind, message: "\(subject): \(call) failed: \(reason)\(hint)")
    }
}

extension TransportError: CustomStringConvertible {
    package var description: String { message }
}
