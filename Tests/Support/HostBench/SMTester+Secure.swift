// SPDX-License-Identifier: Apache-2.0

import SMP

/// Phase 2 with Secure Connections. Core 5.4, Vol 3, Part H, 2.3.5.6.
extension SMTester {
    static let passkeyRounds = 20

    // MARK: Public keys

    func exchangePublicKeys() throws {
        if isInitiator { try sendPublicKey() }
        try takePublicKey()
        if !isInitiator { try sendPublicKey() }
    }

    func sendPublicKey() throws { try send([Code.publicKey] + ownKey.x.reversed() + ownKey.y.reversed()) }

    func takePublicKey() throws {
        let command = try expects(Code.publicKey, octets: 64)
        let x = Array(command[1..<33].reversed())
        hostKey = PairingPublicKey(x: x, y: command[33...].reversed())
    }

    var hostX: [UInt8] { hostKey?.x ?? [] }

    /// The x coordinates by role.
    private var xs: (initiator: [UInt8], responder: [UInt8]) {
        isInitiator ? (ownKey.x, hostX) : (hostX, ownKey.x)
    }

    // MARK: Authentication stage 1

    func authenticate() throws {
        switch model.association {
        case .justWorks: try exchangeNonces()
        case .numericComparison:
            try exchangeNonces()
            try comparesDigits()
        case .passkeyEntry:
            try settlePasskey()
            for round in 0..<Self.passkeyRounds { try exchange(round: round) }
        case .outOfBand: try exchangeOutOfBand()
        }
    }

    /// Just Works and Numeric Comparison: the responder commits itself to its nonce.
    func exchangeNonces() throws {
        ownNonce = bench.randomOctets(16)
        if isInitiator {
            let confirm = try number(of: Code.confirm)
            try send(Code.random, ownNonce)
            hostNonce = try number(of: Code.random)
            try require(
                confirm == SMFunctions.f4(hostX, ownKey.x, hostNonce, 0), "our host's confirm value is not its nonce's")
        } else {
            try send(Code.confirm, ownConfirm())
            hostNonce = try number(of: Code.random)
            try send(Code.random, ownNonce)
        }
    }

    func ownConfirm(_ z: UInt8 = 0) -> [UInt8] { SMFunctions.f4(ownKey.x, hostX, ownNonce, z) }

    /// The digits that the tester shows for comparison.
    var digits: UInt32 {
        SMFunctions.g2(
            xs.initiator, xs.responder, isInitiator ? ownNonce : hostNonce, isInitiator ? hostNonce : ownNonce)
    }

    private func comparesDigits() throws {
        let shown = try bench.askedToCompare()
        try require(shown == digits, "our host shows \(shown), the tester \(digits)")
    }

    /// Gives both sides one passkey, by the way of the model.
    func settlePasskey() throws {
        if hostDisplays { passkey = try bench.askedToDisplay() } else { try bench.askedToEnter() }
    }

    /// Exchanges one bit of the passkey.
    func exchange(round: Int) throws {
        if isInitiator {
            try sendConfirm(round: round)
            let confirm = try number(of: Code.confirm)
            try send(Code.random, ownNonce)
            hostNonce = try number(of: Code.random)
            try check(confirm, round: round)
        } else {
            let confirm = try number(of: Code.confirm)
            try sendConfirm(round: round)
            hostNonce = try number(of: Code.random)
            try check(confirm, round: round)
            try send(Code.random, ownNonce)
        }
    }

    /// `isRight`: false inverts this bit of the passkey.
    func sendConfirm(round: Int, isRight: Bool = true) throws {
        ownNonce = bench.randomOctets(16)
        try send(Code.confirm, ownConfirm(bit(round) ^ (isRight ? 0 : 1)))
    }

    func bit(_ round: Int) -> UInt8 { 0x80 | UInt8(passkey >> UInt32(round) & 1) }

    private func check(_ confirm: [UInt8], round: Int) throws {
        try require(
            confirm == SMFunctions.f4(hostX, ownKey.x, hostNonce, bit(round)),
            "our host's confirm value of round \(round + 1) is wrong")
    }

    /// Exchanges only the nonces; all other data came out of band.
    func exchangeOutOfBand() throws {
        ownNonce = bench.randomOctets(16)
        if isInitiator { try send(Code.random, ownNonce) }
        hostNonce = try number(of: Code.random)
        if !isInitiator { try send(Code.random, ownNonce) }
    }

    /// The tester's out-of-band data.
    var outOfBandData: OutOfBandData {
        OutOfBandData(confirm: SMFunctions.f4(ownKey.x, ownKey.x, ownOutOfBand, 0), random: ownOutOfBand)
    }

    // MARK: Authentication stage 2

    func exchangeChecks() throws {
        try deriveKeys()
        if isInitiator {
            try send(Code.check, ownCheck)
            try takeCheck()
        } else {
            try takeCheck()
            try send(Code.check, ownCheck)
        }
    }

    func deriveKeys() throws {
        guard let hostKey, let secret = sharedSecret ?? keyPair.sharedSecret(with: hostKey) else {
            throw ScriptFailure("our host's public key is no point of the curve")
        }
        let nonces = isInitiator ? (ownNonce, hostNonce) : (hostNonce, ownNonce)
        let keys = SMFunctions.f5(secret, nonces.0, nonces.1, initiator: initiator, responder: responder)
        macKey = keys.macKey
        key = SMFunctions.shortened(keys.longTermKey, to: keySize)
    }

    var ownCheck: [UInt8] {
        SMFunctions.f6(
            macKey, ownNonce, hostNonce, hostRandom, features(ours: true).protected, ownAddress, hostAddress)
    }

    func takeCheck() throws {
        let check = SMFunctions.f6(
            macKey, hostNonce, ownNonce, ownRandom, features(ours: false).protected, hostAddress, ownAddress)
        try expects(Code.check, check, "our host's DHKey check")
    }

    private func features(ours: Bool) -> SMFeatures { ours == isInitiator ? initiatorFeatures : responderFeatures }

    /// Our host's part of the tester's check: ra or rb.
    private var hostRandom: [UInt8] {
        switch model.association {
        case .passkeyEntry: SMFunctions.wide(passkey)
        case .outOfBand where features.hasOutOfBand: hostOutOfBand?.random ?? SMFunctions.wide(0)
        case .justWorks, .numericComparison, .outOfBand: SMFunctions.wide(0)
        }
    }

    private var ownRandom: [UInt8] {
        switch model.association {
        case .passkeyEntry: SMFunctions.wide(passkey)
        case .outOfBand where hostFeatures.hasOutOfBand: ownOutOfBand
        case .justWorks, .numericComparison, .outOfBand: SMFunctions.wide(0)
        }
    }
}
