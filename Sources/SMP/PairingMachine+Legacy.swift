// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The state of LE legacy pairing from the Temporary Key on.
struct LegacyExchange: Sendable {
    var exchange: PairingExchange
    var temporaryKey: SecretKey
}

/// Phase 2 of LE legacy pairing. Core 5.4, Vol 3, Part H, 2.3.5.2 to 2.3.5.5.
extension PairingMachine {
    mutating func beginLegacy(_ exchange: PairingExchange, at now: MonotonicTime) -> [Effect] {
        switch exchange.choice.model {
        // Numbers to compare come of Secure Connections alone: the table gives none here.
        case .justWorks, .numericComparison:
            return promiseLegacy(LegacyExchange(exchange: exchange, temporaryKey: .zero), at: now)
        case .outOfBand:
            guard let key = settings.peerOutOfBand?.temporaryKey else { return refuse(.outOfBandNotAvailable) }
            return promiseLegacy(LegacyExchange(exchange: exchange, temporaryKey: key), at: now)
        case .passkeyEntry:
            break
        }
        guard displaysPasskey(exchange) else {
            phase = .enteringLegacyPasskey(exchange, confirm: nil)
            guard let passkey = settings.passkey else { return [.ask(.enterPasskey)] }
            return enteredLegacy(passkey, exchange, confirm: nil, at: now)
        }
        let passkey = settings.shownPasskey ?? secrets.passkey
        hasUsedLocalSecret = settings.shownPasskey != nil
        let legacy = LegacyExchange(exchange: exchange, temporaryKey: SecretKey(number: passkey))
        return [.ask(.display(passkey: passkey))] + promiseLegacy(legacy, at: now)
    }

    mutating func enteredLegacy(
        _ passkey: UInt32, _ exchange: PairingExchange, confirm: [UInt8]?, at now: MonotonicTime
    ) -> [Effect] {
        guard passkey <= 999_999 else { return refuse(.passkeyEntryFailed) }
        let legacy = LegacyExchange(exchange: exchange, temporaryKey: SecretKey(number: passkey))
        guard let confirm else { return promiseLegacy(legacy, at: now) }
        return legacyConfirmReceived(confirm, legacy, at: now)
    }

    private mutating func promiseLegacy(_ legacy: LegacyExchange, at now: MonotonicTime) -> [Effect] {
        phase = .awaitingLegacyConfirm(legacy)
        return role == .central ? [send(.pairingConfirm(confirmValue(legacy, secrets.nonce(0))), at: now)] : []
    }

    private func confirmValue(_ legacy: LegacyExchange, _ random: [UInt8]) -> [UInt8] {
        Cryptography.c1(
            legacy.temporaryKey, random: random, request: SMPPDU.pairingRequest(legacy.exchange.request).octets,
            response: SMPPDU.pairingResponse(legacy.exchange.response).octets, initiator: initiator,
            responder: responder)
    }

    mutating func legacyConfirmReceived(
        _ confirm: [UInt8], _ legacy: LegacyExchange, at now: MonotonicTime
    ) -> [Effect] {
        let own = confirmValue(legacy, secrets.nonce(0))
        // Ours sent back, and our random number would follow: the peer knows no Temporary Key.
        guard !Cryptography.areEqual(confirm, own) else { return refuse(.confirmValueFailed) }
        phase = .awaitingLegacyRandom(legacy, confirm: confirm)
        return [send(role == .central ? .pairingRandom(secrets.nonce(0)) : .pairingConfirm(own), at: now)]
    }

    mutating func legacyRandomReceived(
        _ random: [UInt8], _ legacy: LegacyExchange, confirm: [UInt8], at now: MonotonicTime
    ) -> [Effect] {
        guard Cryptography.areEqual(confirm, confirmValue(legacy, random)) else { return refuse(.confirmValueFailed) }
        let own = secrets.nonce(0)
        let sent = role == .peripheral ? [send(.pairingRandom(own), at: now)] : []
        let octets = Cryptography.s1(
            legacy.temporaryKey, responderRandom: role == .central ? random : own,
            initiatorRandom: role == .central ? own : random)
        let key = (SecretKey(octets) ?? .zero).masked(to: legacy.exchange.keySize)
        return sent + agreed(legacy.exchange, on: key, at: now)
    }
}
