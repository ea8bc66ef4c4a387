// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import SMP

/// Additive: the reason for a failed pairing, with the remedy in a sentence.
public struct CBPairingError: Error, Hashable, Sendable, CustomNSError, LocalizedError {
    /// Why not.
    public enum Code: Int, Sendable {
        /// An error without a code of its own; ``CBPairingError/detail`` describes the error.
        case unknown = 0
        /// The passkey was wrong, or was not entered.
        case passkeyEntryFailed = 1
        /// The digits differed, or no person confirmed them.
        case comparisonFailed = 2
        /// One side demands protection against an attacker in the middle, and the two sides have no means for it.
        case authenticationRequired = 3
        /// The check of the keys failed: a wrong passkey, or an attacker in the middle.
        case confirmationFailed = 4
        /// The other device does not pair, or does not now.
        case notSupported = 5
        /// The key would be shorter than one side's minimum.
        case keyTooShort = 6
        /// Too many attempts have failed; wait before the next.
        case tooManyAttempts = 7
        /// The policy keeps the present bond: remove the bond first.
        case alreadyBonded = 8
        /// The other device broke the protocol.
        case protocolViolation = 9
        /// The person at this end, or the policy, refused.
        case refused = 10
        /// The other device, or its user, refused.
        case refusedByPeer = 11
        /// 30 s went by without an answer.
        case timedOut = 12
        /// The connection could not be encrypted with the new key.
        case encryptionFailed = 13
        /// The connection ended before.
        case disconnected = 14
        /// There is no connection to pair on.
        case notConnected = 15
        /// Another pairing with this device is under way. Not thrown any more: a new call waits for the end of the
        /// other pairing.
        case alreadyPairing = 16
        /// There is no room for another bond.
        case tooManyBonds = 17
        /// The caller gave up.
        case cancelled = 18
        /// The pairing succeeded, but one side keeps no keys: the encryption lasts as long as the connection.
        case notBonded = 19
    }

    /// Why not.
    public let code: Code
    /// The exact reason, in the specification's words.
    public let detail: String?
    /// The pairing broke off after the proof of the passkey's first digits, and not by a wrong digit. A listener or the
    /// other device may know some digits, or all. Do not use a constant passkey again.
    public let revealsPasskey: Bool

    init(_ code: Code, detail: String? = nil, revealsPasskey: Bool = false) {
        self.code = code
        self.detail = detail
        self.revealsPasskey = revealsPasskey
    }

    /// The domain of these errors as an `NSError`.
    public static var errorDomain: String { "CBPairingErrorDomain" }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: text] }
    public var errorDescription: String? { text }

    /// The nearest code of Core Bluetooth, for programs without knowledge of this type.
    public var coreBluetoothCode: CBError.Code {
        switch code {
        case .timedOut, .encryptionFailed: .encryptionTimedOut
        case .disconnected, .notConnected: .notConnected
        case .tooManyBonds: .tooManyLEPairedDevices
        case .cancelled: .operationCancelled
        case .notSupported, .keyTooShort: .operationNotSupported
        default: .unknown
        }
    }

    private var text: String { detail.map { "\(sentence) (\($0))" } ?? sentence }

    private var sentence: String {
        switch code {
        case .unknown: "Pairing failed; try again."
        case .passkeyEntryFailed: "The passkey was wrong or was not entered: try again with the one that is shown now."
        case .comparisonFailed:
            "The digits did not agree: try again, and if they differ once more, somebody is in between."
        case .authenticationRequired:
            "The devices cannot give each other the protection that is demanded: give the device's passkey, or allow "
                + "LE legacy pairing for this device by name if it knows nothing else."
        case .confirmationFailed: "The keys did not agree: a wrong passkey, or somebody in between. Try again."
        case .notSupported: "The device does not pair now: put it into its pairing mode and try again."
        case .keyTooShort: "The device's keys are shorter than what is allowed here."
        case .tooManyAttempts: "Too many attempts have failed: wait before the next."
        case .alreadyBonded: "There is a bond with the device: remove it first."
        case .protocolViolation: "The device does not keep to the protocol."
        case .refused: "The pairing was refused here."
        case .refusedByPeer:
            "The device refused: put it into its pairing mode, or have it forget its old pairing, and try again."
        case .timedOut: "30 s went by without an answer: connect again before the next attempt."
        case .encryptionFailed: "The connection could not be encrypted with the new key: try again."
        case .disconnected: "The connection ended during the pairing: try again, nearer to the device."
        case .notConnected: "There is no connection to the device."
        case .alreadyPairing: "A pairing with this device is under way."
        case .tooManyBonds: "There is no room for another bond: remove one that is not needed."
        case .cancelled: "The pairing was given up."
        case .notBonded: "No keys are kept: the connection is encrypted now, and the next one will not be."
        }
    }
}

extension CBPairingError {
    init(_ failure: PairingFailure, revealsPasskey: Bool = false) {
        let (code, detail): (Code, String?) =
            switch failure {
            case .refused(let reason): (Self.code(reason, isPeers: false), "we ended it: \(reason.name)")
            case .refusedByPeer(let reason): (Self.code(reason, isPeers: true), "the device ended it: \(reason.name)")
            case .timedOut: (.timedOut, nil)
            case .encryptionFailed: (.encryptionFailed, nil)
            case .disconnected: (.disconnected, nil)
            }
        self.init(code, detail: detail, revealsPasskey: revealsPasskey)
    }

    /// Nil if the pairing has begun.
    init?(_ start: PairingStart) {
        switch start {
        case .started: return nil
        case .isBonded: self.init(.alreadyBonded)
        case .isPairing: self.init(.alreadyPairing)
        case .noLink: self.init(.notConnected)
        case .tooSoon(let pause):
            self.init(.tooManyAttempts, detail: "another may begin in \(Self.wholeSeconds(pause)) s")
        case .noRoom: self.init(.tooManyBonds)
        }
    }

    private static func wholeSeconds(_ duration: Duration) -> Int64 { duration.components.seconds + 1 }

    private static func code(_ reason: PairingFailedReason, isPeers: Bool) -> Code {
        switch reason {
        case .passkeyEntryFailed: .passkeyEntryFailed
        case .numericComparisonFailed: .comparisonFailed
        case .authenticationRequirements, .outOfBandNotAvailable: .authenticationRequired
        case .confirmValueFailed, .diffieHellmanKeyCheckFailed: .confirmationFailed
        case .pairingNotSupported: isPeers ? .notSupported : .refused
        case .encryptionKeySize: .keyTooShort
        case .repeatedAttempts: .tooManyAttempts
        case .invalidParameters, .commandNotSupported: .protocolViolation
        case .keyRejected, .busy, .unspecifiedReason: isPeers ? .refusedByPeer : .refused
        default: isPeers ? .refusedByPeer : .unknown
        }
    }
}

extension PairingFailedReason {
    /// The name in Core 5.4, Vol 3, Part H, table 3.7.
    var name: String {
        switch self {
        case .passkeyEntryFailed: "passkey entry failed"
        case .outOfBandNotAvailable: "OOB not available"
        case .authenticationRequirements: "authentication requirements"
        case .confirmValueFailed: "confirm value failed"
        case .pairingNotSupported: "pairing not supported"
        case .encryptionKeySize: "encryption key size"
        case .commandNotSupported: "command not supported"
        case .unspecifiedReason: "unspecified reason"
        case .repeatedAttempts: "repeated attempts"
        case .invalidParameters: "invalid parameters"
        case .diffieHellmanKeyCheckFailed: "DHKey check failed"
        case .numericComparisonFailed: "numeric comparison failed"
        case .pairingInProgressOverBREDR: "BR/EDR pairing in progress"
        case .crossTransportKeyDerivationNotAllowed: "cross-transport key derivation not allowed"
        case .keyRejected: "key rejected"
        case .busy: "busy"
        default: "reason \(rawValue)"
        }
    }
}
