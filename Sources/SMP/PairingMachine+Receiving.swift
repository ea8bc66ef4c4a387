// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The meaning of each PDU by phase. Core 5.4, Vol 3, Part H, 2.3, 3.5 and 3.6.
///
/// Each PDU has the phases named here. At any other time the PDU ends the pairing: a peer that is out of step is faulty
/// or attacks.
extension PairingMachine {
    mutating func receive(_ pdu: SMPPDU, at now: MonotonicTime) -> [Effect] {
        switch pdu {
        case .unknown:
            // Undefined codes are ignored, 3.3, and do not keep a pairing alive.
            return []
        case .securityRequest:
            // The peer sent the request before it had our Pairing Request, or before the requested encryption began:
            // 2.4.6.
            if role == .central, isDeafToSecurityRequest { return [] }
        case .pairingKeypressNotification:
            // We never negotiate these notifications; from a peer that sends them during passkey entry they do no harm.
            if phase.isPasskeyEntry { return [] }
        default:
            break
        }
        if case .idle = phase {} else { deadline = now + Self.timeout }
        return exchangeReceived(pdu, at: now) ?? secureReceived(pdu, at: now) ?? legacyReceived(pdu, at: now)
            ?? keyReceived(pdu, at: now) ?? refuse(unexpected(pdu))
    }

    private var isDeafToSecurityRequest: Bool {
        switch phase {
        case .awaitingResponse, .awaitingConsent, .awaitingEncryption: true
        default: false
        }
    }

    /// A PDU of the other role is not supported; any other PDU came at the wrong time.
    private func unexpected(_ pdu: SMPPDU) -> PairingFailedReason {
        switch (pdu, role) {
        case (.pairingRequest, .central), (.securityRequest, .peripheral), (.pairingResponse, .peripheral):
            .commandNotSupported
        default: .unspecifiedReason
        }
    }

    /// Nil when the PDU has no place here; so for the functions below.
    private mutating func exchangeReceived(_ pdu: SMPPDU, at now: MonotonicTime) -> [Effect]? {
        switch (phase, pdu) {
        case (.idle, .pairingRequest(let request)) where role == .peripheral: requested(request, at: now)
        case (.awaitingResponse(let request), .pairingResponse(let response)):
            responded(to: request, response, at: now)
        default: nil
        }
    }

    private mutating func secureReceived(_ pdu: SMPPDU, at now: MonotonicTime) -> [Effect]? {
        switch (phase, pdu) {
        case (.awaitingPublicKey(let exchange), .pairingPublicKey(let key)):
            publicKeyReceived(key, exchange, at: now)
        case (.awaitingConfirm(let secure), .pairingConfirm(let confirm)):
            confirmReceived(confirm, secure, at: now)
        case (.awaitingRandom(let secure, let confirm), .pairingRandom(let random)):
            randomReceived(random, secure, confirm: confirm, at: now)
        case (.comparing(let check, nil), .pairingDHKeyCheck(let value)) where role == .peripheral:
            hold { $0.phase = .comparing(check, check: value) }
        case (.enteringPasskey(let secure, nil), .pairingConfirm(let confirm)) where role == .peripheral:
            hold { $0.phase = .enteringPasskey(secure, confirm: confirm) }
        case (.awaitingRoundConfirm(let round), .pairingConfirm(let confirm)):
            roundConfirmReceived(confirm, round, at: now)
        case (.awaitingRoundRandom(let round, let confirm), .pairingRandom(let random)):
            roundRandomReceived(random, round, confirm: confirm, at: now)
        case (.awaitingCheck(let check), .pairingDHKeyCheck(let value)):
            checkReceived(value, check, at: now)
        default: nil
        }
    }

    private mutating func legacyReceived(_ pdu: SMPPDU, at now: MonotonicTime) -> [Effect]? {
        switch (phase, pdu) {
        case (.enteringLegacyPasskey(let exchange, nil), .pairingConfirm(let confirm)) where role == .peripheral:
            hold { $0.phase = .enteringLegacyPasskey(exchange, confirm: confirm) }
        case (.awaitingLegacyConfirm(let legacy), .pairingConfirm(let confirm)):
            legacyConfirmReceived(confirm, legacy, at: now)
        case (.awaitingLegacyRandom(let legacy, let confirm), .pairingRandom(let random)):
            legacyRandomReceived(random, legacy, confirm: confirm, at: now)
        default: nil
        }
    }

    private mutating func keyReceived(_ pdu: SMPPDU, at now: MonotonicTime) -> [Effect]? {
        switch phase {
        case .distributing(let collection): return collect(pdu, collection, at: now)
        case .awaitingEncryption(let exchange, let key, let early):
            // If events and data have separate pipes, as with USB, data may overtake the event of encryption. Early
            // keys count only after the event.
            let expected = keysExpected(of: exchange)
            guard isEncrypting, early.count < expected.count, expected[early.count].isIn(pdu) else { return nil }
            return hold { $0.phase = .awaitingEncryption(exchange, key, early: early + [pdu]) }
        default: return nil
        }
    }

    /// Keeps what came before our own people, or our controller, were ready.
    private mutating func hold(_ change: (inout Self) -> Void) -> [Effect] {
        change(&self)
        return []
    }
}

extension KeyCollection.Part {
    fileprivate func isIn(_ pdu: SMPPDU) -> Bool {
        switch (self, pdu) {
        case (.encryptionInformation, .encryptionInformation), (.centralIdentification, .centralIdentification),
            (.identityInformation, .identityInformation), (.identityAddress, .identityAddressInformation):
            true
        default: false
        }
    }
}
