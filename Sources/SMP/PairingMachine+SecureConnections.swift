// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The state of Secure Connections from the exchange of public keys on.
struct SecureExchange: Sendable {
    var exchange: PairingExchange
    var peerKey: PairingPublicKey
    /// DHKey, 32 octets.
    var sharedSecret: [UInt8]
}

/// Phase 2 of Secure Connections: public keys, then Just Works, Numeric Comparison or Out of Band.
/// Core 5.4, Vol 3, Part H, 2.3.5.6.1, 2.3.5.6.2 and 2.3.5.6.4.
extension PairingMachine {
    mutating func publicKeyReceived(
        _ key: PairingPublicKey, _ exchange: PairingExchange, at now: MonotonicTime
    ) -> [Effect] {
        var exchange = exchange
        // A peer that sends our own key back would know a value that only we can know; the key's negative has the same
        // X. Points off the curve would reveal our private key after a few tries. SM/PER/KDU/BI-04-C demands this
        // reason.
        guard key.x != keyPair.publicKey.x, settings.allowsDebugKey || !key.isDebugKey,
            let secret = keyPair.sharedSecret(with: key)
        else { return refuse(.diffieHellmanKeyCheckFailed) }
        exchange.usesDebugKey = key.isDebugKey
        let secure = SecureExchange(exchange: exchange, peerKey: key, sharedSecret: secret)
        let own = role == .peripheral ? [send(.pairingPublicKey(keyPair.publicKey), at: now)] : []
        switch exchange.choice.model {
        case .justWorks, .numericComparison: return own + promise(secure, at: now)
        case .passkeyEntry: return own + beginPasskey(secure, at: now)
        case .outOfBand: return own + beginOutOfBand(secure, at: now)
        }
    }

    /// The responder commits itself to its nonce before it sees the initiator's nonce.
    private mutating func promise(_ secure: SecureExchange, at now: MonotonicTime) -> [Effect] {
        guard role == .peripheral else {
            phase = .awaitingConfirm(secure)
            return []
        }
        phase = .awaitingRandom(secure, confirm: nil)
        return [send(.pairingConfirm(ownConfirm(secure, nonce: secrets.nonce(0), z: 0)), at: now)]
    }

    private mutating func beginOutOfBand(_ secure: SecureExchange, at now: MonotonicTime) -> [Effect] {
        hasUsedLocalSecret = settings.localOutOfBand != nil
        if hasSecureData, let confirm = settings.peerOutOfBand?.confirm, let random = settings.peerOutOfBand?.random {
            let expected = Cryptography.f4(u: secure.peerKey.x, v: secure.peerKey.x, x: random, z: 0)
            guard Cryptography.areEqual(confirm, expected) else { return refuse(.confirmValueFailed) }
        }
        phase = .awaitingRandom(secure, confirm: nil)
        return role == .central ? [send(.pairingRandom(secrets.nonce(0)), at: now)] : []
    }

    /// As the initiator.
    mutating func confirmReceived(_ confirm: [UInt8], _ secure: SecureExchange, at now: MonotonicTime) -> [Effect] {
        phase = .awaitingRandom(secure, confirm: confirm)
        return [send(.pairingRandom(secrets.nonce(0)), at: now)]
    }

    mutating func randomReceived(
        _ random: [UInt8], _ secure: SecureExchange, confirm: [UInt8]?, at now: MonotonicTime
    ) -> [Effect] {
        if let confirm {
            let expected = peerConfirm(secure, nonce: random, z: 0)
            guard Cryptography.areEqual(confirm, expected) else { return refuse(.confirmValueFailed) }
        }
        let own = secrets.nonce(0)
        let sent = role == .peripheral ? [send(.pairingRandom(own), at: now)] : []
        let check = PairingCheck(self, secure, localNonce: own, peerNonce: random, passkey: 0)
        guard secure.exchange.choice.model == .numericComparison else { return sent + prove(check, at: now) }
        phase = .comparing(check, check: nil)
        let (ours, theirs) = (keyPair.publicKey.x, secure.peerKey.x)
        let number =
            role == .central
            ? Cryptography.g2(u: ours, v: theirs, x: own, y: random)
            : Cryptography.g2(u: theirs, v: ours, x: random, y: own)
        return sent + [.ask(.compare(number))]
    }

    func ownConfirm(_ secure: SecureExchange, nonce: [UInt8], z: UInt8) -> [UInt8] {
        Cryptography.f4(u: keyPair.publicKey.x, v: secure.peerKey.x, x: nonce, z: z)
    }

    func peerConfirm(_ secure: SecureExchange, nonce: [UInt8], z: UInt8) -> [UInt8] {
        Cryptography.f4(u: secure.peerKey.x, v: keyPair.publicKey.x, x: nonce, z: z)
    }
}
