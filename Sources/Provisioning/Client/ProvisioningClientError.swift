// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Health

/// Why the set-up of a gateway failed, in words for a person, with advice.
package struct ProvisioningClientError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: Equatable, Sendable {
        /// The controller of this machine cannot be used.
        case controller
        /// No gateway near can be set up, or the named gateway is not near.
        case notFound
        /// The name, or the lack of a name, matches several gateways.
        case ambiguous
        /// The gateway did not answer to a connection.
        case unreachable
        /// The device has no configuration service.
        case notAGateway
        /// The gateway speaks another version of the protocol.
        case version
        /// The connection ended. Staged changes stay staged.
        case linkLost
        /// The gateway wants a passkey, and none was given.
        case passkeyWanted
        /// The passkey was wrong.
        case wrongPasskey
        /// The gateway does not pair at present.
        case closed
        /// The pairing failed for another reason.
        case pairing
        /// The gateway has forgotten the bond with this machine.
        case bondLost
        /// The gateway refuses a request, with this code of the Attribute Protocol.
        case refused(UInt8)
        /// The client refuses an impossible value before it is sent.
        case notValid
        /// The gateway's answer makes no sense.
        case malformed
        /// The gateway stopped answering.
        case silent
        /// A step of applying has failed, with this reason of docs/provisioning-protocol.md. The former settings hold again.
        case rolledBack(String)
    }

    package var kind: Kind
    package var description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// A new connection may help.
    package var isLinkLost: Bool { kind == .linkLost }

    /// The kind as a word for programs.
    package var reason: String {
        switch kind {
        case .controller: "controller"
        case .notFound: "not-found"
        case .ambiguous: "ambiguous"
        case .unreachable: "unreachable"
        case .notAGateway: "not-a-gateway"
        case .version: "version"
        case .linkLost: "link-lost"
        case .passkeyWanted: "passkey-wanted"
        case .wrongPasskey: "wrong-passkey"
        case .closed: "closed"
        case .pairing: "pairing"
        case .bondLost: "bond-lost"
        case .refused(let code): ProvisioningErrorCode(rawValue: code)?.reason ?? "refused"
        case .notValid: "not-valid"
        case .malformed: "malformed"
        case .silent: "silent"
        case .rolledBack(let reason): reason
        }
    }
}

extension ProvisioningErrorCode {
    fileprivate var reason: String {
        switch self {
        case .notValid: "not-valid"
        case .busy: "busy"
        case .nothingThere: "nothing-there"
        case .notSupported: "not-supported"
        case .failed: "failed"
        }
    }

    /// Advice if the gateway has no words of its own.
    fileprivate var advice: String {
        switch self {
        case .notValid: "the gateway does not take this value"
        case .busy: "another phone is setting the gateway up, or a change is being applied: wait, and try again"
        case .nothingThere: "there is nothing of that kind on the gateway"
        case .notSupported: "this gateway has no such thing"
        case .failed: "the gateway could not do it: its log says why"
        }
    }
}

extension ProvisioningClientError {
    /// The error of a request. `words`: the gateway's own words, from `Last error`.
    init(_ error: any Error, of item: ProvisioningTable.Item, words: String? = nil) {
        let name = item.userDescription
        switch error {
        case let error as ProvisioningClientError: self = error
        case let error as CBATTError:
            let code = UInt8(clamping: error.code.rawValue)
            let known = ProvisioningErrorCode(rawValue: code)?.advice ?? Self.advice(error.code)
            self.init(.refused(code), "\(name): \(words ?? known)")
        case let error as CBError:
            self.init(error, doing: name)
        default:
            self.init(.malformed, "\(name): \(error.localizedDescription)")
        }
    }

    init(_ error: CBError, doing what: String) {
        switch error.code {
        case .notConnected, .connectionTimeout, .peripheralDisconnected, .invalidHandle, .operationCancelled:
            self.init(
                .linkLost, "\(what): the connection to the gateway was lost. Go nearer to it, and try again.")
        case .peerRemovedPairingInformation: self = .bondLost
        default: self.init(.unreachable, "\(what): \(error.localizedDescription)")
        }
    }

    static let bondLost = ProvisioningClientError(
        .bondLost,
        Advice.elsewhere(
            "The gateway has forgotten this machine. Open its pairing window (its button, or \(.martlet(.provisionOpen))), "
                + "and give the passkey that it shows."))

    /// Why a pairing failed.
    init(_ error: CBPairingError) {
        switch error.code {
        case .passkeyEntryFailed, .confirmationFailed:
            self.init(
                .wrongPasskey,
                "The passkey was wrong. Try again with the one that the gateway shows now: each is good for one attempt."
            )
        case .notSupported, .refusedByPeer:
            self.init(
                .closed,
                Advice.elsewhere(
                    "The gateway pairs with nobody now. Open its pairing window (its button, or "
                        + "\(.martlet(.provisionOpen))), and try again."))
        case .tooManyAttempts: self.init(.closed, error.localizedDescription)
        case .disconnected, .notConnected:
            self.init(.linkLost, "The connection ended while pairing. Go nearer to the gateway, and try again.")
        default: self.init(.pairing, "Pairing failed. \(error.localizedDescription)")
        }
    }

    private static func advice(_ code: CBATTError.Code) -> String {
        switch code {
        case .insufficientAuthentication, .insufficientEncryption, .insufficientAuthorization:
            "the gateway lets only phones and machines do this that are paired with it by its passkey"
        case .requestNotSupported, .readNotPermitted, .writeNotPermitted, .attributeNotFound:
            "the gateway does not offer this"
        case .invalidAttributeValueLength: "the value is too long"
        case .prepareQueueFull, .insufficientResources: "the gateway is busy: wait, and try again"
        default: "the gateway refused (error \(code.rawValue))"
        }
    }
}
