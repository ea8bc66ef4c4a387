// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An error that the peer's attribute server gave. Core 5.4, Vol 3, Part F, 3.4.1.1.
public struct CBATTError: Error, Hashable, Sendable, CustomNSError, LocalizedError {
    /// The server's error code.
    public let code: Code
    private let origin: ErrorOrigin?

    /// An error with this code.
    public init(_ code: Code) {
        self.code = code
        origin = nil
    }

    /// An error with a code and further information.
    public init(_ code: Code, userInfo: [String: Any]) {
        self.init(_nsError: NSError(domain: CBATTErrorDomain, code: code.rawValue, userInfo: userInfo))
    }

    /// The value of an `NSError` of ``CBATTErrorDomain``. A number outside of 0…255 keeps its ``errorCode``, and has
    /// the code ``Code/unlikelyError``.
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
    /// Further facts, by Foundation's keys.
    public var userInfo: [String: Any] { errorUserInfo }
    public var errorDescription: String? { origin?.description ?? text }
    /// The error in Objective-C's form.
    public var _nsError: NSError { origin?.error ?? (self as NSError) }

    private var text: String { "\(code.sentence) (ATT error \(code.rawValue).)" }
}

extension CBATTError.Code {
    /// The cause in Apple's words.
    fileprivate var sentence: String {
        switch self {
        case .success: "No error."
        case .invalidHandle: "The handle is invalid."
        case .readNotPermitted: "Reading is not permitted."
        case .writeNotPermitted: "Writing is not permitted."
        case .invalidPdu: "The request is invalid."
        case .insufficientAuthentication: "Authentication is insufficient."
        case .requestNotSupported: "The request is not supported."
        case .invalidOffset: "The offset is invalid."
        case .insufficientAuthorization: "Authorization is insufficient."
        case .prepareQueueFull: "The queue of prepared writes is full."
        case .attributeNotFound: "The attribute could not be found."
        case .attributeNotLong: "The attribute is not long."
        case .insufficientEncryptionKeySize: "The encryption key size is insufficient."
        case .invalidAttributeValueLength: "The value's length is invalid."
        case .unlikelyError: "An unlikely error occurred at the peer."
        case .insufficientEncryption: "Encryption is insufficient."
        case .unsupportedGroupType: "The group type is not supported."
        case .insufficientResources: "The peer's resources are insufficient."
        default: sentence(ofOctet: rawValue)
        }
    }

    /// Core 5.4, Vol 3, Part F, 3.4.1.1, and the Supplement to the Core Specification, Part B, 1.2.
    private func sentence(ofOctet octet: Int) -> String {
        switch octet {
        case 0x12: "The peer's attributes have changed."
        case 0x13: "The value is not allowed."
        case 0x80...0x9F: "The peer's application refused the request."
        case 0xFC: "The peer refused the write."
        case 0xFD: "The characteristic's configuration is wrong."
        case 0xFE: "A procedure is in progress already."
        case 0xFF: "The value is out of range."
        default: "The peer refused the request."
        }
    }
}
