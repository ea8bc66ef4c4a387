// SPDX-License-Identifier: Apache-2.0

/// Where a pairing is, and all that it needs from there on; what it does not need any more is gone.
enum PairingPhase: Sendable {
    /// Before Pairing Request.
    case idle
    case awaitingResponse(request: PairingFeatures)
    /// As the responder, before Pairing Response.
    case awaitingConsent(PairingExchange)

    case awaitingPublicKey(PairingExchange)
    /// As the initiator of Just Works and Numeric Comparison.
    case awaitingConfirm(SecureExchange)
    /// Of Just Works, Numeric Comparison and Out of Band. `confirm`: of the peer, where its nonce was promised.
    case awaitingRandom(SecureExchange, confirm: [UInt8]?)
    /// `check`: of an initiator whose user was quicker than ours.
    case comparing(PairingCheck, check: [UInt8]?)
    /// `confirm`: of an initiator whose user was quicker than ours.
    case enteringPasskey(SecureExchange, confirm: [UInt8]?)
    case awaitingRoundConfirm(PasskeyRound)
    case awaitingRoundRandom(PasskeyRound, confirm: [UInt8])
    case awaitingCheck(PairingCheck)

    /// `confirm`: of an initiator whose user was quicker than ours.
    case enteringLegacyPasskey(PairingExchange, confirm: [UInt8]?)
    case awaitingLegacyConfirm(LegacyExchange)
    case awaitingLegacyRandom(LegacyExchange, confirm: [UInt8])

    /// `early`: keys that have come before the controller said that the link is encrypted.
    case awaitingEncryption(PairingExchange, SecretKey, early: [SMPPDU])
    case distributing(KeyCollection)
    /// Nothing is heard any more.
    case ended

    /// People are at the passkey, or its digits are compared round by round: the only time for keypress notifications.
    var isPasskeyEntry: Bool {
        switch self {
        case .enteringPasskey, .awaitingRoundConfirm, .awaitingRoundRandom: true
        case .enteringLegacyPasskey: true
        case .awaitingLegacyConfirm(let legacy): legacy.exchange.choice.model == .passkeyEntry
        case .awaitingLegacyRandom(let legacy, _): legacy.exchange.choice.model == .passkeyEntry
        default: false
        }
    }
}

/// What both devices have told of themselves, and what follows from it. Core 5.4, Vol 3, Part H, 2.3.
struct PairingExchange: Sendable {
    var request: PairingFeatures
    var response: PairingFeatures
    var choice: AssociationChoice
    var isSecureConnections: Bool
    /// Octets: 7…16.
    var keySize: UInt8
    /// A device that everybody can pretend to be has nothing to be kept of it.
    var usesDebugKey = false

    /// Both keep the keys.
    var isBonding: Bool { request.requirements.isBonding && response.requirements.isBonding && !usesDebugKey }

    /// What the initiator gives, and what the responder gives.
    var initiatorKeys: KeyDistribution { given(response.initiatorKeys) }
    var responderKeys: KeyDistribution { given(response.responderKeys) }

    /// With Secure Connections both sides compute the key, and the flag for it means nothing.
    private func given(_ keys: KeyDistribution) -> KeyDistribution {
        keys.intersection(isSecureConnections ? .identity : [.encryption, .identity])
    }
}
