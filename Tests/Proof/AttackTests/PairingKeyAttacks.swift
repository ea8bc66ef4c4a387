// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import SMP
import Testing

@testable import HostBench

/// Public keys, confirm values and passkeys: rows 84 to 87, and 111.
struct PairingKeyAttacks {
    /// Core 5.4, Vol 3, Part H, 2.3.5.6.1.
    private static let debugPrivateKey = hex("3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd")
    private static let secure = PairingPlay.allCases.filter { !$0.isLegacy }

    private func isRefused(_ key: PairingPublicKey?, _ scene: AttackBench, _ play: PairingPlay) throws {
        let tester = try scene.attackerPairs(play)
        tester.ownKey = try #require(key)
        try tester.exchangeFeatures()
        if scene.side == .peripheral { try tester.takePublicKey() }
        try tester.sendPublicKey()
        try scene.refuses(tester, .diffieHellmanKeyCheckFailed)
    }

    @Test func `row 84: CVE-2018-5383, public keys off the curve`() throws {
        try attack(84, "CVE-2018-5383") { scene in
            let key = scene.bench.keyPair().publicKey
            let zero = [UInt8](repeating: 0, count: 32)
            let ones = [UInt8](repeating: 0xFF, count: 32)
            let wrong: [(x: [UInt8], y: [UInt8])] = [
                (key.x, [UInt8](repeating: 0x42, count: 32)), (key.x, zero), (zero, zero), (zero, key.y),
                (PairingPublicKey.prime, key.y), (key.x, PairingPublicKey.prime), (ones, ones), (key.y, key.x),
                (key.x.reversed(), key.y.reversed()),
            ]
            for play in Self.secure {
                for (x, y) in wrong { try isRefused(PairingPublicKey(x: x, y: y), scene, play) }
            }
        }
    }

    @Test func `row 85: CVE-2020-26558, our own public key comes back`() throws {
        try attack(85, "CVE-2020-26558") { scene in
            for play in Self.secure {
                let tester = try scene.attackerPairs(play)
                try tester.exchangeFeatures()
                if scene.side == .central { try tester.sendPublicKey() }
                try tester.takePublicKey()
                let seen = try #require(tester.hostKey)
                if scene.side == .peripheral {
                    tester.ownKey = seen
                    try tester.sendPublicKey()
                    try scene.refuses(tester, .diffieHellmanKeyCheckFailed)
                    continue
                }
                // A Central reveals its key first. It knows only the key of the last attempt, which is no longer valid.
                try scene.endsPairing()
                let next = try scene.attackerPairs(play)
                next.ownKey = seen
                try next.exchangeFeatures()
                try next.exchangePublicKeys()
                try require(next.hostX != seen.x, "our host has used its key pair twice")
                try scene.endsPairing()
            }
        }
    }

    @Test func `row 86: CVE-2021-37577, our own public key comes back with the other Y`() throws {
        try attack(86, "CVE-2021-37577", by: [.peripheral]) { scene in
            for play in Self.secure {
                let tester = try scene.attackerPairs(play)
                try tester.exchangeFeatures()
                try tester.takePublicKey()
                let seen = try #require(tester.hostKey)
                tester.ownKey = try #require(seen.negative)
                try require(scene.bench.keyPair().sharedSecret(with: tester.ownKey) != nil, "it is not on the curve")
                try tester.sendPublicKey()
                try scene.refuses(tester, .diffieHellmanKeyCheckFailed)
            }
        }
    }

    @Test func `row 87: NimBLE f45f66850, our own confirm value comes back`() throws {
        try attack(87, "NimBLE f45f66850", by: [.peripheral]) { scene in
            for play in [PairingPlay.legacyJustWorks, .legacyPasskeyShown, .legacyPasskeyEntered] {
                let tester = try scene.attackerPairs(play)
                try tester.exchangeFeatures()
                try tester.settleTemporaryKey()
                try tester.send(SMTester.Code.confirm, try tester.number(of: SMTester.Code.confirm))
                // Its random number is not said.
                try scene.refuses(tester, .confirmValueFailed)
            }
            // Reflected numbers in a round of Passkey Entry.
            for play in [PairingPlay.passkeyShown, .passkeyEntered] {
                let tester = try scene.attackerPairs(play)
                try tester.exchangeFeatures()
                try tester.exchangePublicKeys()
                try tester.settlePasskey()
                try tester.send(SMTester.Code.confirm, try tester.number(of: SMTester.Code.confirm))
                try scene.refuses(tester, .confirmValueFailed)
            }
        }
    }

    @Test func `row 111: SMP debug key, the key pair that everybody knows`() throws {
        let pair = try #require(KeyPair(privateKey: Self.debugPrivateKey))
        try attack(111, "SMP debug key") { scene in
            for play in Self.secure {
                try isRefused(pair.publicKey, scene, play)
                try isRefused(pair.publicKey.negative, scene, play)
            }
            // A policy for captures of the air allows a debug key, and our host keeps no bond.
            guard scene.side == .peripheral else { return }
            if !scene.isLinked { try scene.enter() }
            scene.bench.host.policy = PairingPlay.justWorks.policy
            try scene.bench.pairs { $0.allowsDebugKey = true }
            let tester = SMTester(scene.bench, isInitiator: false, PairingPlay.justWorks.features)
            tester.ownKey = pair.publicKey
            try tester.exchangeFeatures()
            try tester.exchangePublicKeys()
            tester.sharedSecret = pair.sharedSecret(with: try #require(tester.hostKey))
            try tester.authenticate()
            try tester.exchangeChecks()
            try tester.encrypt()
            try tester.distribute()
            try scene.bench.isPairedForNow(tester)
            try scene.forgetsAttacker()
        }
    }
}
