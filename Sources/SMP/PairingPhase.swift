// SPDX-License-Identifier: Apache-2.0

/// The phase of a pairing, with the values for this and later phases; values without further use are dropped.
enum PairingPhase: Sendable {
    /// Before Pairing Request.
    case idle
    case awaitingResponse(request: PairingFeatures)
    /// As the responder, before Pairing Response.
    case awaitingConsent(PairingExchange)

    case awaitingPublicKey(PairingExchange)
    /// As the initiator of Just Works and Numeric Comparison.
    case awaitingConfirm(SecureExchange)
    /// In Just Works, Numeric Comparison and Out of Band. `confirm`: the peer's commitment to its nonce, if it has sent
    /// one.
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

    /// `early`: keys received before the controller's event of encryption.
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

/// The features of both devices, and the choices that follow from them. Core 5.4, Vol 3, Part H, 2.3.
struct PairingExchange: Sendable {
    var request: PairingFeatures
    var response: PairingFeatures
    var choice: AssociationChoice
    var isSecureConnections: Bool
    /// Octets: 7…16.
    var keySize: UInt8
    /// A device uses the public debug key: any device can pretend to be this device, so no key is kept.
    var usesDebugKey = false

    /// Both keep the keys.
    var isBonding: Bool { request.requirements.isBonding && response.requirements.isBonding && !usesDebugKey }

    /// The keys that each side distributes.
    var initiatorKeys: KeyDistribution { given(response.initiatorKeys) }
    var responderKeys: KeyDistribution { given(response.responderKeys) }

    /// With Secure Connections both sides compute the key, and the flag for it means nothing.
    private func given(_ keys: KeyDistribution) -> KeyDistribution {
        keys.intersection(isSecureConnections ? .identity : [.encryption, .identity])
    }
}
