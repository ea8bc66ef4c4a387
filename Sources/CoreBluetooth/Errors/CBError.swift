// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import HCI

/// The domain of ``CBError`` as an `NSError`.
public let CBErrorDomain = "CBErrorDomain"
/// The domain of ``CBATTError`` as an `NSError`.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// A failure of a connection or a call.
public struct CBError: Error, Hashable, Sendable, CustomNSError, LocalizedError {
    /// The kind of failure, with Apple's numbers.
    public enum Code: Int, Sendable {
        /// An error without a code of its own; ``CBError/detail`` describes the error.
        case unknown = 0
        /// The request contradicts the rules, or the controller refuses its parameters.
        case invalidParameters = 1
        /// An object of an earlier connection, or a link that is gone.
        case invalidHandle = 2
        /// The peripheral is not connected, or the connection ended before the answer came.
        case notConnected = 3
        /// A queue or a table is full.
        case outOfSpace = 4
        /// The caller gave up.
        case operationCancelled = 5
        /// The peer fell silent, or did not answer a request for 30 s.
        case connectionTimeout = 6
        /// The peer ended the connection.
        case peripheralDisconnected = 7
        /// The attribute belongs to the host.
        case uuidNotAllowed = 8
        /// This manager advertises already.
        case alreadyAdvertising = 9
        /// The connection could not be established, or its packets were not authentic.
        case connectionFailed = 10
        /// The controller has no room for another connection.
        case connectionLimitReached = 11
        /// The manager has forgotten the object; retrieve the peripheral again.
        case unknownDevice = 12
        /// The peer does not support the operation.
        case operationNotSupported = 13
        /// The peer has forgotten the keys; both sides have to forget them and pair again.
        case peerRemovedPairingInformation = 14
        /// The peer did not finish a procedure for encryption in time.
        case encryptionTimedOut = 15
        /// There is no room for another bond.
        case tooManyLEPairedDevices = 16
        /// Apple's limit of notifications in the background; never used here.
        case leGattExceededBackgroundNotificationLimit = 17
        /// Apple's limit of notifications in the background; never used here.
        case leGattNearBackgroundNotificationLimit = 18
    }

    /// The kind of failure.
    public let code: Code
    /// Additive: the words of the controller or the peer.
    public let detail: String?

    /// The controller's reason, in an error about a link.
    package let linkEnd: LinkEndReason?
    /// The host's request that waited for its answer when the link ended, in words; in an error about a link.
    package let outstanding: String?
    /// The request was sent, and no answer came; in an error about a request.
    package let isUnanswered: Bool

    private let origin: ErrorOrigin?

    /// An error with this code.
    public init(_ code: Code) { self.init(code, detail: nil, linkEnd: nil) }

    /// An error with a code and further information.
    public init(_ code: Code, userInfo: [String: Any]) {
        self.init(_nsError: NSError(domain: CBErrorDomain, code: code.rawValue, userInfo: userInfo))
    }

    /// The value of an `NSError` of ``CBErrorDomain``. A number without a name keeps its ``errorCode``, and has the
    /// code ``Code/unknown``.
    public init(_nsError error: NSError) {
        code = Code(rawValue: error.code) ?? .unknown
        detail = nil
        (linkEnd, outstanding, isUnanswered) = (nil, nil, false)
        origin = ErrorOrigin(error: error)
    }

    init(
        _ code: Code, detail: String? = nil, linkEnd: LinkEndReason? = nil, outstanding: String? = nil,
        isUnanswered: Bool = false
    ) {
        self.code = code
        self.detail = detail
        (self.linkEnd, self.outstanding, self.isUnanswered) = (linkEnd, outstanding, isUnanswered)
        origin = nil
    }

    public static func == (left: CBError, right: CBError) -> Bool { left.errorCode == right.errorCode }
    public func hash(into hasher: inout Hasher) { hasher.combine(errorCode) }

    /// See ``CBErrorDomain``.
    public static var errorDomain: String { CBErrorDomain }
    public var errorCode: Int { origin?.error.code ?? code.rawValue }
    public var errorUserInfo: [String: Any] { ErrorOrigin.userInfo(of: origin, text) }
    /// Further facts, by Foundation's keys.
    public var userInfo: [String: Any] { errorUserInfo }
    public var errorDescription: String? { origin?.description ?? text }
    /// The error in Objective-C's form.
    public var _nsError: NSError { origin?.error ?? (self as NSError) }

    private var text: String {
        let sentence =
            switch code {
            case .unknown: "Unknown error."
            case .invalidParameters: "One or more parameters were invalid."
            case .invalidHandle: "The specified handle was invalid."
            case .notConnected: "The device is not connected."
            case .outOfSpace: "The device has run out of space."
            case .operationCancelled: "The operation was cancelled."
            case .connectionTimeout: "The connection has timed out unexpectedly."
            case .peripheralDisconnected: "The device has disconnected from us."
            case .uuidNotAllowed: "The specified UUID is not allowed for this operation."
            case .alreadyAdvertising: "The peripheral is already advertising."
            case .connectionFailed: "The connection has failed unexpectedly."
            case .connectionLimitReached: "The system cannot hold more connections."
            case .unknownDevice: "The device is unknown; retrieve it again."
            case .operationNotSupported: "The operation is not supported."
            case .peerRemovedPairingInformation: "The peer has removed its pairing information."
            case .encryptionTimedOut: "The encryption of the connection has timed out."
            case .tooManyLEPairedDevices: "Too many paired devices."
            case .leGattExceededBackgroundNotificationLimit, .leGattNearBackgroundNotificationLimit:
                "Too many notifications."
            }
        guard let detail else { return sentence }
        // The code says nothing beyond the detail.
        return code == .unknown ? "The operation has failed: \(detail)." : "\(sentence) (\(detail))"
    }
}

extension CBError {
    /// Nil if a client of this host ended the link.
    init?(disconnection reason: HCIStatus, during outstanding: String? = nil) {
        // In full: error codes of Core Bluetooth have names like these, and match any error.
        switch reason {
        case HCIStatus.localHostTerminated:
            // The host ends a link when its peer has not answered a request for 30 s.
            guard let outstanding else { return nil }
            self.init(
                .connectionTimeout, detail: "the peer did not answer \(outstanding) for 30 s",
                linkEnd: LinkEndReason(rawValue: reason.rawValue), outstanding: outstanding)
        case HCIStatus.connectionTimeout: self.init(.connectionTimeout, linkEnd: reason, outstanding)
        case HCIStatus.remoteUserTerminated, HCIStatus.remoteLowResources, HCIStatus.remotePowerOff:
            self.init(.peripheralDisconnected, linkEnd: reason, outstanding)
        default: self.init(connection: reason, during: outstanding)
        }
    }

    init(connection status: HCIStatus, during outstanding: String? = nil) {
        let code: Code =
            switch status {
            case HCIStatus.connectionFailedToBeEstablished, HCIStatus.advertisingTimeout: .connectionFailed
            case HCIStatus.connectionLimitExceeded, HCIStatus.connectionRejectedLimitedResources:
                .connectionLimitReached
            case HCIStatus.pinOrKeyMissing: .peerRemovedPairingInformation
            // Encryption is the only link-layer procedure that waits for the peer's host.
            case HCIStatus.llResponseTimeout: .encryptionTimedOut
            // The peer has another key, or may not use the key.
            case HCIStatus.micFailure, HCIStatus.insufficientSecurity: .connectionFailed
            case HCIStatus.invalidCommandParameters: .invalidParameters
            case HCIStatus.unknownConnectionIdentifier: .invalidHandle
            default: .unknown
            }
        self.init(code, linkEnd: status, outstanding)
    }

    private init(_ code: Code, linkEnd status: HCIStatus, _ outstanding: String?) {
        let reason = LinkEndReason(rawValue: status.rawValue)
        self.init(code, detail: status.description, linkEnd: reason, outstanding: outstanding)
    }
}

extension GATTError {
    /// The error for delegates.
    var asError: any Error {
        switch self {
        case .refused(let code): CBATTError(CBATTError.Code(octet: code.rawValue))
        case .timedOut:
            CBError(
                .connectionTimeout, detail: "the peer did not answer a request for 30 s", isUnanswered: true)
        case .malformed: CBError(.unknown, detail: "the peer's answer makes no sense")
        case .disconnected: CBError(.notConnected, isUnanswered: true)
        case .notSent: CBError(.notConnected)
        case .queueFull: CBError(.outOfSpace, detail: "too many requests wait for this peer")
        }
    }
}
