// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The values by which both devices prove that they share a secret, and the key from the secret.
struct PairingCheck: Sendable {
    let exchange: PairingExchange
    let longTermKey: SecretKey
    let localCheck: [UInt8]
    let expectedCheck: [UInt8]
}

extension PairingCheck {
    /// `passkey`: 0 without a passkey.
    init(
        _ machine: PairingMachine, _ secure: SecureExchange, localNonce: [UInt8], peerNonce: [UInt8], passkey: UInt32
    ) {
        exchange = secure.exchange
        let isInitiator = machine.role == .central
        let (initiator, responder) = (machine.initiator, machine.responder)
        let keys = Cryptography.f5(
            secret: secure.sharedSecret, initiatorNonce: isInitiator ? localNonce : peerNonce,
            responderNonce: isInitiator ? peerNonce : localNonce, initiator: initiator, responder: responder)
        longTermKey = (SecretKey(keys.longTermKey) ?? .zero).masked(to: exchange.keySize)

        let (own, peer) = isInitiator ? (exchange.request, exchange.response) : (exchange.response, exchange.request)
        let local = (nonce: localNonce, address: isInitiator ? initiator : responder)
        let remote = (nonce: peerNonce, address: isInitiator ? responder : initiator)
        // Each side proves its knowledge of the other's number: the passkey, or the number from out-of-band data; zero
        // without data.
        var localRandom = SecretKey(number: passkey).octets
        var peerRandom = localRandom
        if exchange.choice.model == .outOfBand {
            let zero = SecretKey.zero.octets
            localRandom = (peer.hasOutOfBandData ? machine.settings.localOutOfBand?.random : nil) ?? zero
            peerRandom = (own.hasOutOfBandData ? machine.settings.peerOutOfBand?.random : nil) ?? zero
        }
        localCheck = Cryptography.f6(
            macKey: keys.macKey, first: local, second: remote, random: peerRandom, capabilities: own.checkOctets)
        expectedCheck = Cryptography.f6(
            macKey: keys.macKey, first: remote, second: local, random: localRandom, capabilities: peer.checkOctets)
    }
}

/// Authentication stage 2 of Secure Connections. Core 5.4, Vol 3, Part H, 2.3.5.6.5.
extension PairingMachine {
    /// The initiator proves first.
    mutating func prove(_ check: PairingCheck, at now: MonotonicTime) -> [Effect] {
        phase = .awaitingCheck(check)
        return role == .central ? [send(.pairingDHKeyCheck(check.localCheck), at: now)] : []
    }

    /// The user has confirmed that both devices show the same digits.
    mutating func compared(_ check: PairingCheck, peerCheck: [UInt8]?, at now: MonotonicTime) -> [Effect] {
        guard let peerCheck else { return prove(check, at: now) }
        return checkReceived(peerCheck, check, at: now)
    }

    mutating func checkReceived(_ value: [UInt8], _ check: PairingCheck, at now: MonotonicTime) -> [Effect] {
        guard Cryptography.areEqual(value, check.expectedCheck) else { return refuse(.diffieHellmanKeyCheckFailed) }
        let own = role == .peripheral ? [send(.pairingDHKeyCheck(check.localCheck), at: now)] : []
        return own + agreed(check.exchange, on: check.longTermKey, at: now)
    }
}
