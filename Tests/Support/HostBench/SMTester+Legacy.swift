// SPDX-License-Identifier: Apache-2.0

import SMP

/// Phase 2 of LE legacy pairing. Core 5.4, Vol 3, Part H, 2.3.5.5.
extension SMTester {
    func exchangeLegacy() throws {
        try settleTemporaryKey()
        if isInitiator {
            try sendLegacyConfirm()
            let confirm = try number(of: Code.confirm)
            try send(Code.random, ownNonce)
            hostNonce = try number(of: Code.random)
            try checkLegacy(confirm)
        } else {
            let confirm = try number(of: Code.confirm)
            try sendLegacyConfirm()
            hostNonce = try number(of: Code.random)
            try checkLegacy(confirm)
            try send(Code.random, ownNonce)
        }
        deriveShortTermKey()
    }

    /// Lets people transfer the passkey, if the model needs a passkey.
    func settleTemporaryKey() throws {
        if model.association == .passkeyEntry { try settlePasskey() }
    }

    var usedTemporaryKey: SecretKey {
        switch model.association {
        case .outOfBand: temporaryKey ?? .zero
        case .passkeyEntry: SMFunctions.secret(SMFunctions.wide(passkey))
        case .justWorks, .numericComparison: .zero
        }
    }

    func sendLegacyConfirm() throws {
        ownNonce = bench.randomOctets(16)
        try send(Code.confirm, legacyConfirm(ownNonce))
    }

    func legacyConfirm(_ nonce: [UInt8]) -> [UInt8] {
        SMFunctions.c1(
            usedTemporaryKey, nonce, request: request, response: response, initiator: initiator, responder: responder)
    }

    func checkLegacy(_ confirm: [UInt8]) throws {
        try require(confirm == legacyConfirm(hostNonce), "our host's confirm value is not its random value's")
    }

    func deriveShortTermKey() {
        let key = SMFunctions.s1(
            usedTemporaryKey, responder: isInitiator ? hostNonce : ownNonce,
            initiator: isInitiator ? ownNonce : hostNonce)
        self.key = SMFunctions.shortened(key, to: keySize)
    }
}
