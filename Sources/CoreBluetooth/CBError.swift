// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothHost
import Foundation
import GATT
import HCI

public let CBErrorDomain = "CBErrorDomain"
public let CBATTErrorDomain = "CBATTErrorDomain"

/// What went wrong with a connection or a call.
public struct CBError: Error, Hashable, Sendable, CustomNSError, LocalizedError {
    public enum Code: Int, Sendable {
        case unknown = 0
        case invalidParameters = 1
        case invalidHandle = 2
        case notConnected = 3
        case outOfSpace = 4
        case operationCancelled = 5
        case connectionTimeout = 6
        case peripheralDisconnected = 7
        case uuidNotAllowed = 8
        case alreadyAdvertising = 9
        case connectionFailed = 10
        case connectionLimitReached = 11
        case unknownDevice = 12
        case operationNotSupported = 13
        case peerRemovedPairingInformation = 14
        case encryptionTimedOut = 15
        case tooManyLEPairedDevices = 16
        case leGattExceededBackgroundNotificationLimit = 17
        case leGattNearBackgroundNotificationLimit = 18
    }

    public let code: Code
    /// Additive: what the controller or the peer said.
    public let detail: String?

    public init(_ code: Code) { self.init(code, detail: nil) }

    init(_ code: Code, detail: String?) {
        self.code = code
        self.detail = detail
    }

    public static func == (left: CBError, right: CBError) -> Bool { left.code == right.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

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
        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let success = Code(rawValue: 0x00)
        public static let invalidHandle = Code(rawValue: 0x01)
        public static let readNotPermitted = Code(rawValue: 0x02)
        public static let writeNotPermitted = Code(rawValue: 0x03)
        public static let invalidPdu = Code(rawValue: 0x04)
        public static let insufficientAuthentication = Code(rawValue: 0x05)
        public static let requestNotSupported = Code(rawValue: 0x06)
        public static let invalidOffset = Code(rawValue: 0x07)
        public static let insufficientAuthorization = Code(rawValue: 0x08)
        public static let prepareQueueFull = Code(rawValue: 0x09)
        public static let attributeNotFound = Code(rawValue: 0x0A)
        public static let attributeNotLong = Code(rawValue: 0x0B)
        public static let insufficientEncryptionKeySize = Code(rawValue: 0x0C)
        public static let invalidAttributeValueLength = Code(rawValue: 0x0D)
        public static let unlikelyError = Code(rawValue: 0x0E)
        public static let insufficientEncryption = Code(rawValue: 0x0F)
        public static let unsupportedGroupType = Code(rawValue: 0x10)
        public static let insufficientResources = Code(rawValue: 0x11)
    }

    public let code: Code
    public init(_ code: Code) { self.code = code }

    public static var errorDomain: String { CBATTErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: text] }
    public var errorDescription: String? { text }

    private var text: String { "The attribute server refused the request (ATT error \(code.rawValue))." }
}

extension CBError {
    /// Nil for a link that we ended ourselves.
    init?(disconnection reason: HCIStatus) {
        switch reason {
        case .localHostTerminated: return nil
        case .connectionTimeout: self.init(.connectionTimeout, detail: reason.description)
        case .remoteUserTerminated, .remoteLowResources, .remotePowerOff:
            self.init(.peripheralDisconnected, detail: reason.description)
        default: self.init(connection: reason)
        }
    }

    init(connection status: HCIStatus) {
        let code: Code =
            switch status {
            case .connectionFailedToBeEstablished, .advertisingTimeout: .connectionFailed
            case .connectionLimitExceeded, .connectionRejectedLimitedResources: .connectionLimitReached
            case .pinOrKeyMissing: .peerRemovedPairingInformation
            // Of the link-layer procedures, encryption alone waits for the host on the other side.
            case .llResponseTimeout: .encryptionTimedOut
            case .micFailure: .connectionFailed
            case .invalidCommandParameters: .invalidParameters
            case .unknownConnectionIdentifier: .invalidHandle
            default: .unknown
            }
        self.init(code, detail: status.description)
    }
}

extension GATTError {
    /// As delegates are told.
    var asError: any Error {
        switch self {
        case .refused(let code): CBATTError(CBATTError.Code(rawValue: Int(code.rawValue)))
        case .timedOut: CBError(.connectionTimeout, detail: "the peer did not answer a request for 30 s")
        case .malformed: CBError(.unknown, detail: "the peer's answer makes no sense")
        case .disconnected: CBError(.notConnected)
        case .notConfigurable: CBATTError(.requestNotSupported)
        case .queueFull: CBError(.outOfSpace, detail: "too many requests wait for this peer")
        }
    }
}
