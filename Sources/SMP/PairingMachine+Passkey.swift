// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One of the 20 rounds of Passkey Entry: each round reveals one bit of the passkey to both sides, so that a guessing
/// peer fails before the last round.
struct PasskeyRound: Sendable {
    static let count = 20

    var secure: SecureExchange
    /// 0…999999.
    var passkey: UInt32
    /// 0…19.
    var number = 0

    /// ra and rb: the least significant bit first.
    var z: UInt8 { 0x80 | UInt8(truncatingIfNeeded: passkey >> UInt32(number)) & 1 }
}

/// Core 5.4, Vol 3, Part H, 2.3.5.6.3.
extension PairingMachine {
    /// Each pairing shows new digits, unless the host sets them: an attacker could find constant digits in 20 tries.
    mutating func beginPasskey(_ secure: SecureExchange, at now: MonotonicTime) -> [Effect] {
        guard displaysPasskey(secure.exchange) else {
            phase = .enteringPasskey(secure, confirm: nil)
            guard let passkey = settings.passkey else { return [.ask(.enterPasskey)] }
            return entered(passkey, secure, confirm: nil, at: now)
        }
        let passkey = settings.shownPasskey ?? secrets.passkey
        hasUsedLocalSecret = settings.shownPasskey != nil
        return [.ask(.display(passkey: passkey))]
            + beginRound(PasskeyRound(secure: secure, passkey: passkey), confirm: nil, at: now)
    }

    func displaysPasskey(_ exchange: PairingExchange) -> Bool {
        exchange.choice.source == (role == .central ? .initiatorDisplays : .responderDisplays)
    }

    mutating func entered(
        _ passkey: UInt32, _ secure: SecureExchange, confirm: [UInt8]?, at now: MonotonicTime
    ) -> [Effect] {
        guard passkey <= 999_999 else { return refuse(.passkeyEntryFailed) }
        return beginRound(PasskeyRound(secure: secure, passkey: passkey), confirm: confirm, at: now)
    }

    /// `confirm`: the initiator's value, if received already.
    private mutating func beginRound(_ round: PasskeyRound, confirm: [UInt8]?, at now: MonotonicTime) -> [Effect] {
        phase = .awaitingRoundConfirm(round)
        if let confirm { return roundConfirmReceived(confirm, round, at: now) }
        return role == .central ? [send(.pairingConfirm(confirmValue(round)), at: now)] : []
    }

    private func confirmValue(_ round: PasskeyRound) -> [UInt8] {
        ownConfirm(round.secure, nonce: secrets.nonce(round.number), z: round.z)
    }

    mutating func roundConfirmReceived(_ confirm: [UInt8], _ round: PasskeyRound, at now: MonotonicTime) -> [Effect] {
        let own = confirmValue(round)
        // Ours sent back: the peer knows no digits.
        guard !Cryptography.areEqual(confirm, own) else { return refuse(.confirmValueFailed) }
        phase = .awaitingRoundRandom(round, confirm: confirm)
        let answer = role == .central ? SMPPDU.pairingRandom(secrets.nonce(round.number)) : .pairingConfirm(own)
        return [send(answer, at: now)]
    }

    mutating func roundRandomReceived(
        _ random: [UInt8], _ round: PasskeyRound, confirm: [UInt8], at now: MonotonicTime
    ) -> [Effect] {
        let expected = peerConfirm(round.secure, nonce: random, z: round.z)
        guard Cryptography.areEqual(confirm, expected) else { return refuse(.confirmValueFailed) }
        provedRounds = round.number + 1
        let own = secrets.nonce(round.number)
        let sent = role == .peripheral ? [send(.pairingRandom(own), at: now)] : []
        guard round.number + 1 == PasskeyRound.count else {
            var next = round
            next.number += 1
            return sent + beginRound(next, confirm: nil, at: now)
        }
        let check = PairingCheck(self, round.secure, localNonce: own, peerNonce: random, passkey: round.passkey)
        return sent + prove(check, at: now)
    }
}
