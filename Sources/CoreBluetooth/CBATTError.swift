// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An error that the peer's attribute server gave. Core 5.4, Vol 3, Part F, 3.4.1.1.
public struct CBATTError: Error, Hashable, Sendable, CustomNSError, LocalizedError {
    /// What the server said.
    public let code: Code
    private let origin: ErrorOrigin?

    /// An error with this code.
    public init(_ code: Code) {
        self.code = code
        origin = nil
    }

    /// An error with this code, and what more is known.
    public init(_ code: Code, userInfo: [String: Any]) {
        self.init(_nsError: NSError(domain: CBATTErrorDomain, code: code.rawValue, userInfo: userInfo))
    }

    /// What an `NSError` of ``CBATTErrorDomain`` is. A number that is no octet keeps its ``errorCode``, and has the code
    /// ``Code/unlikelyError``.
    public init(_nsError error: NSError) {
        code = Code(rawValue: error.code) ?? .unlikelyError
        origin = ErrorOrigin(error: error)
    }

    public static func == (left: CBATTError, right: CBATTError) -> Bool { left.errorCode == right.errorCode }
    public func hash(into hasher: inout Hasher) { hasher.combine(errorCode) }

    /// See ``CBATTErrorDomain``.
    public static var errorDomain: String { CBATTErrorDomain }
    public var errorCode: Int { origin?.error.code ?? code.rawValue }
    public var errorUserInfo: [String: Any] { ErrorOrigin.userInfo(of: origin, text) }
    public var errorDescription: String? { origin?.description ?? text }
    /// The error as Objective-C knows it.
    public var _nsError: NSError { origin?.error ?? (self as NSError) }

    private var text: String { "The attribute server refused the request (ATT error \(code.rawValue))." }
}
