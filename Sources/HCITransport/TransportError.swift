// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why a controller cannot be reached, and the action that helps.
package struct TransportError: Error, Equatable, Sendable {
    package enum Kind: String, Sendable {
        /// Another program holds the adapter; the adapter may become free.
        case busy
        /// The kernel could not set the adapter up and refuses every program until the driver lets the adapter go; or
        /// the kernel has just found the adapter.
        case unfinished
        /// The process may not take the adapter over.
        case notPermitted
        /// The adapter, socket or device does not exist.
        case notFound
        /// A radio kill switch is on.
        case blocked
        /// The transport was open and is gone.
        case lost
        case other

        /// The kernel is at work with the adapter, or may be: only its next answer counts.
        package var isPassing: Bool { self == .busy || self == .unfinished }
    }

    /// Other transports to a controller, as code names them. A program with an option for transports names its option
    /// instead.
    package static let otherTransports = "CBController(transport:stateDirectory:) with .tcp, .unix or .serial"

    package let kind: Kind
    package let message: String

    package init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }

    /// A failed system call on `subject`; call at once, while errno still holds. `advice` gives the action that helps
    /// against an errno.
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
