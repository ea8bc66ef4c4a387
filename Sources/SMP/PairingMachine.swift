// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One pairing on one link, in either role. Core 5.4, Vol 3, Part H.
///
/// The pairing ends exactly once, with ``Effect/finished(_:)`` or ``Effect/failed(_:)``, and ignores all later input.
package struct PairingMachine: Sendable {
    package enum Effect: Equatable, Sendable {
        case send([UInt8])
        case ask(PairingQuestion)
        /// As the initiator: encrypt the link with this key, with EDIV and Rand zero, and say how it went with
        /// ``encrypted(at:)`` or ``encryptionFailed(at:)``.
        case encrypt(SecretKey)
        case finished(PairingResult)
        case failed(PairingFailure)
    }

    /// The longest silence of the peer; then the pairing ends. Core 5.4, Vol 3, Part H, 3.4.
    package static let timeout: Duration = .seconds(30)

    package let role: LinkRole
    /// When ``expire(at:)`` has to be called.
    package internal(set) var deadline: MonotonicTime?
    /// The link's security under the key of this pairing; nil before the key is known.
    package internal(set) var security: LinkSecurity?
    /// Known once both features are.
    package internal(set) var model: AssociationModel?

    let initiator: DeviceAddress
    let responder: DeviceAddress
    let settings: PairingSettings
    let secrets: PairingSecrets
    var phase = PairingPhase.idle
    /// The controller has the key of this pairing.
    var isEncrypting = false
    /// The pairing has used a secret that people may have seen before: our constant passkey, or our out-of-band data.
    /// An attacker may have learned a part of the secret, or know the secret already.
    package internal(set) var hasUsedLocalSecret = false
    /// Rounds of Passkey Entry that have revealed a bit to a listener: 0…20, without the round that fails.
    package internal(set) var provedRounds = 0

    /// `initiator`, `responder`: the addresses that the link was made with, as they were on the air.
    package init(
        role: LinkRole, initiator: DeviceAddress, responder: DeviceAddress, settings: PairingSettings,
        secrets: PairingSecrets
    ) {
        self.role = role
        self.initiator = initiator
        self.responder = responder
        self.settings = settings
        self.secrets = secrets
    }

    /// The pairing has finished or failed.
    package var isEnded: Bool {
        if case .ended = phase { true } else { false }
    }

    /// As the initiator: asks the peer to pair.
    package mutating func begin(at now: MonotonicTime) -> [Effect] {
        guard role == .central, case .idle = phase else { return [] }
        let request = initiatorFeatures
        phase = .awaitingResponse(request: request)
        return [send(.pairingRequest(request), at: now)]
    }

    /// Takes one PDU from the Security Manager channel.
    package mutating func received(_ pdu: ArraySlice<UInt8>, at now: MonotonicTime) -> [Effect] {
        if isEnded { return [] }
        if pdu.first == SMPPDU.failedCode {
            // The peer has given up, even if the PDU's parameters are wrong: an answer is useless.
            let reason = pdu.dropFirst().first.map(PairingFailedReason.init) ?? .unspecifiedReason
            return end(.refusedByPeer(reason))
        }
        do {
            return receive(try SMPPDU(pdu), at: now)
        } catch {
            return refuse(.invalidParameters)
        }
    }

    package mutating func answer(_ answer: PairingAnswer, at now: MonotonicTime) -> [Effect] {
        switch phase {
        case .awaitingConsent(let exchange):
            // The reason of a host that never pairs: the peer does not learn that a person was asked.
            guard answer == .yes else { return refuse(.pairingNotSupported) }
            return consented(to: exchange, at: now)
        case .comparing(let check, let peerCheck):
            guard answer == .yes else { return refuse(.numericComparisonFailed) }
            return compared(check, peerCheck: peerCheck, at: now)
        case .enteringPasskey(let exchange, let confirm):
            guard case .passkey(let passkey) = answer else { return refuse(.passkeyEntryFailed) }
            return entered(passkey, exchange, confirm: confirm, at: now)
        case .enteringLegacyPasskey(let exchange, let confirm):
            guard case .passkey(let passkey) = answer else { return refuse(.passkeyEntryFailed) }
            return enteredLegacy(passkey, exchange, confirm: confirm, at: now)
        default:
            // No question is open any more.
            return []
        }
    }

    /// As the responder: the key with which the initiator may encrypt now. Nil at every other moment of the pairing.
    package func key(ediv: UInt16, rand: UInt64) -> SecretKey? {
        guard role == .peripheral, case .awaitingEncryption(_, let key, _) = phase else { return nil }
        return ediv == 0 && rand == 0 ? key : nil
    }

    /// The controller has the key of this pairing: the peer's keys may overtake the event of encryption. They count
    /// only after ``encrypted(at:)``.
    package mutating func encryptionBegins() { isEncrypting = true }

    /// The link is encrypted with the key of this pairing.
    package mutating func encrypted(at now: MonotonicTime) -> [Effect] {
        switch phase {
        case .awaitingEncryption(let exchange, let key, let early):
            return distribute(exchange, key, at: now) + early.flatMap { isEnded ? [] : receive($0, at: now) }
        case .ended: return []
        // The link was encrypted with a key other than this pairing's.
        default: return refuse(.unspecifiedReason)
        }
    }

    package mutating func encryptionFailed(at now: MonotonicTime) -> [Effect] { end(.encryptionFailed) }

    /// Ends the pairing and tells the peer.
    package mutating func cancel(_ reason: PairingFailedReason, at now: MonotonicTime) -> [Effect] { refuse(reason) }

    /// The link has ended.
    package mutating func disconnected(at now: MonotonicTime) -> [Effect] { end(.disconnected) }

    package mutating func expire(at now: MonotonicTime) -> [Effect] {
        guard let deadline, now >= deadline else { return [] }
        return end(.timedOut)
    }
}

extension PairingMachine {
    /// The timer starts anew with each PDU sent.
    mutating func send(_ pdu: SMPPDU, at now: MonotonicTime) -> Effect {
        deadline = now + Self.timeout
        return .send(pdu.octets)
    }

    mutating func refuse(_ reason: PairingFailedReason) -> [Effect] {
        if isEnded { return [] }
        return [.send(SMPPDU.pairingFailed(reason).octets)] + end(.refused(reason))
    }

    mutating func end(_ failure: PairingFailure) -> [Effect] {
        if isEnded { return [] }
        close()
        return [.failed(failure)]
    }

    /// Forgets the secrets of the exchange.
    mutating func close() {
        phase = .ended
        deadline = nil
    }

    /// The key of the exchange is there.
    mutating func agreed(_ exchange: PairingExchange, on key: SecretKey, at now: MonotonicTime) -> [Effect] {
        phase = .awaitingEncryption(exchange, key, early: [])
        // The achieved security counts, not the requested one.
        security = LinkSecurity(
            isEncrypted: true, isAuthenticated: exchange.choice.model != .justWorks,
            isSecureConnections: exchange.isSecureConnections, keySize: exchange.keySize)
        return role == .central ? [.encrypt(key)] : []
    }
}
