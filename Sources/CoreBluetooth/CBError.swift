// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothHost
import Foundation
import GATT
import HCI

/// The domain of ``CBError`` as an `NSError`.
public let CBErrorDomain = "CBErrorDomain"
/// The domain of ``CBATTError`` as an `NSError`.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// What went wrong with a connection or a call.
public struct CBError: Error, Hashable, Sendable, CustomNSError, LocalizedError {
    /// What went wrong; the numbers are Apple's.
    public enum Code: Int, Sendable {
        /// Something without a code of its own; ``CBError/detail`` says what.
        case unknown = 0
        /// What was asked for contradicts the rules, or the controller refuses its parameters.
        case invalidParameters = 1
        /// An object of an earlier connection, or a link that is gone.
        case invalidHandle = 2
        /// There is no connection, or it ended before the answer came.
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
        /// The object is older than the manager knows; retrieve it again.
        case unknownDevice = 12
        /// The peer cannot do it.
        case operationNotSupported = 13
        /// The peer has forgotten the keys; both sides have to forget them and pair again.
        case peerRemovedPairingInformation = 14
        /// The peer did not finish a procedure that encryption needs.
        case encryptionTimedOut = 15
        /// There is no room for another bond.
        case tooManyLEPairedDevices = 16
        /// Apple's limit of notifications in the background; nothing here has it.
        case leGattExceededBackgroundNotificationLimit = 17
        /// Apple's limit of notifications in the background; nothing here has it.
        case leGattNearBackgroundNotificationLimit = 18
    }

    /// What went wrong.
    public let code: Code
    /// Additive: what the controller or the peer said.
    public let detail: String?

    /// An error with this code.
    public init(_ code: Code) { self.init(code, detail: nil) }

    init(_ code: Code, detail: String?) {
        self.code = code
        self.detail = detail
    }

    public static func == (left: CBError, right: CBError) -> Bool { left.code == right.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// See ``CBErrorDomain``.
    public static var errorDomain: String { CBErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: text] }
    public var errorDescription: String? { text }

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
        return detail.map { "\(sentence) (\($0))" } ?? sentence
    }
}

/// An error that the peer's attribute server gave. Core 5.4, Vol 3, Part F, 3.4.1.1.
public struct CBATTError: Error, Hashable, Sendable, CustomNSError, LocalizedError {
    /// Open: servers may use application codes 0x80…0x9F and profile codes 0xFC…0xFF.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        /// Nil for what is not an octet.
        public init?(rawValue: Int) {
            guard let octet = UInt8(exactly: rawValue) else { return nil }
            self.init(octet: octet)
        }

        init(octet: UInt8) { rawValue = Int(octet) }

        /// No error.
        public static let success = Code(octet: 0x00)
        /// There is no such attribute.
        public static let invalidHandle = Code(octet: 0x01)
        /// It cannot be read.
        public static let readNotPermitted = Code(octet: 0x02)
        /// It cannot be written.
        public static let writeNotPermitted = Code(octet: 0x03)
        /// The request makes no sense.
        public static let invalidPdu = Code(octet: 0x04)
        /// The connection has to be authenticated before.
        public static let insufficientAuthentication = Code(octet: 0x05)
        /// The server does not know such requests.
        public static let requestNotSupported = Code(octet: 0x06)
        /// The value ends before the offset.
        public static let invalidOffset = Code(octet: 0x07)
        /// Somebody has to allow it before.
        public static let insufficientAuthorization = Code(octet: 0x08)
        /// Too many prepared writes wait.
        public static let prepareQueueFull = Code(octet: 0x09)
        /// Nothing in the range is of that type.
        public static let attributeNotFound = Code(octet: 0x0A)
        /// The value is too short to be read in parts.
        public static let attributeNotLong = Code(octet: 0x0B)
        /// The key of the connection is too short.
        public static let insufficientEncryptionKeySize = Code(octet: 0x0C)
        /// The value has a length that the attribute does not take.
        public static let invalidAttributeValueLength = Code(octet: 0x0D)
        /// Something went wrong on the server.
        public static let unlikelyError = Code(octet: 0x0E)
        /// The connection has to be encrypted before.
        public static let insufficientEncryption = Code(octet: 0x0F)
        /// The type does not group attributes.
        public static let unsupportedGroupType = Code(octet: 0x10)
        /// The server has no room for it.
        public static let insufficientResources = Code(octet: 0x11)
    }

    /// What the server said.
    public let code: Code
    /// An error with this code.
    public init(_ code: Code) { self.code = code }

    /// See ``CBATTErrorDomain``.
    public static var errorDomain: String { CBATTErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: text] }
    public var errorDescription: String? { text }

    private var text: String { "The attribute server refused the request (ATT error \(code.rawValue))." }
}

extension CBError {
    /// Nil for a link that we ended ourselves.
    init?(disconnection reason: HCIStatus) {
        // In full: error codes of Core Bluetooth have names like these, and match any error.
        switch reason {
        case HCIStatus.localHostTerminated: return nil
        case HCIStatus.connectionTimeout: self.init(.connectionTimeout, detail: reason.description)
        case HCIStatus.remoteUserTerminated, HCIStatus.remoteLowResources, HCIStatus.remotePowerOff:
            self.init(.peripheralDisconnected, detail: reason.description)
        default: self.init(connection: reason)
        }
    }

    init(connection status: HCIStatus) {
        let code: Code =
            switch status {
            case HCIStatus.connectionFailedToBeEstablished, HCIStatus.advertisingTimeout: .connectionFailed
            case HCIStatus.connectionLimitExceeded, HCIStatus.connectionRejectedLimitedResources:
                .connectionLimitReached
            case HCIStatus.pinOrKeyMissing: .peerRemovedPairingInformation
            // Of the link-layer procedures, encryption alone waits for the host on the other side.
            case HCIStatus.llResponseTimeout: .encryptionTimedOut
            // The key is another one, or may not be used.
            case HCIStatus.micFailure, HCIStatus.insufficientSecurity: .connectionFailed
            case HCIStatus.invalidCommandParameters: .invalidParameters
            case HCIStatus.unknownConnectionIdentifier: .invalidHandle
            default: .unknown
            }
        self.init(code, detail: status.description)
    }
}

extension GATTError {
    /// As delegates are told.
    var asError: any Error {
        switch self {
        case .refused(let code): CBATTError(CBATTError.Code(octet: code.rawValue))
        case .timedOut: CBError(.connectionTimeout, detail: "the peer did not answer a request for 30 s")
        case .malformed: CBError(.unknown, detail: "the peer's answer makes no sense")
        case .disconnected: CBError(.notConnected)
        case .notConfigurable: CBATTError(.requestNotSupported)
        case .queueFull: CBError(.outOfSpace, detail: "too many requests wait for this peer")
        }
    }
}
