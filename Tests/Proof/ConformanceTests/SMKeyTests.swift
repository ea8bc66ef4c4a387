// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCI
import SMP
import Testing

@testable import HostBench

/// The given keys, the refused keys, and that the given keys work.
struct SMKeyTests {
    // MARK: Distribution

    struct Given: CustomStringConvertible, Sendable {
        let id: String
        let isCentral: Bool
        let isSecure: Bool
        let keys: UInt8

        var description: String { "\(id), keys \(text([keys]))" }
    }

    static let given = [
        Given(id: "SM/PER/KDU/BV-08-C", isCentral: false, isSecure: true, keys: SMFeatures.identityKey),
        Given(id: "SM/CEN/KDU/BV-10-C", isCentral: true, isSecure: true, keys: SMFeatures.identityKey),
        Given(id: "SM/PER/KDU/BV-01-C", isCentral: false, isSecure: false, keys: SMFeatures.encryptionKey),
        Given(id: "SM/PER/KDU/BV-02-C", isCentral: false, isSecure: false, keys: SMFeatures.identityKey),
        Given(id: "SM/CEN/KDU/BV-05-C", isCentral: true, isSecure: false, keys: SMFeatures.identityKey),
        Given(id: "SM/CEN/KDU/BV-06-C", isCentral: true, isSecure: false, keys: SMFeatures.encryptionKey),
    ]

    @Test(arguments: given) func `the keys that are agreed on are given, and no others`(_ row: Given) throws {
        try conformance(row.id) { (bench: Bench) in
            bench.host.policy = row.isSecure ? Bench.open() : Bench.legacy()
            try bench.link(asCentral: row.isCentral)
            var features = SMFeatures(isSecure: row.isSecure)
            if row.isCentral { features.initiatorKeys = row.keys } else { features.responderKeys = row.keys }
            let tester = try begins(bench, features, row.isCentral)
            try tester.pair()
            let keys = row.isCentral ? tester.responderFeatures.initiatorKeys : tester.responderFeatures.responderKeys
            try require(keys == row.keys, "agreed on \(tester.responderFeatures)")
            // Nothing else comes.
            try bench.expectsNothing()
            if row.keys == SMFeatures.identityKey {
                try require(tester.hostIdentityKey == Bench.ownIdentityKey, "another identity key")
                try require(tester.hostIdentity == Bench.hostAddress, "the identity \(tester.hostIdentity as Any)")
            } else {
                guard let key = tester.hostLongTermKey else { throw ScriptFailure("no key") }
                try require(key.ediv != 0 || key.rand != 0, "the key has no numbers")
                try require(
                    bond(bench)?.keys == .legacy(peerDistributed: nil, localDistributed: key), "another key is kept")
            }
        }
    }

    @Test func `SM/PER/KDU/BV-07-C the key that was given encrypts the link anew`() throws {
        try conformance("SM/PER/KDU/BV-07-C") { (bench: Bench) in
            bench.host.policy = Bench.legacy()
            try bench.link(asCentral: false)
            var features = SMFeatures(isSecure: false)
            features.responderKeys = SMFeatures.encryptionKey
            let tester = SMTester(bench, isInitiator: true, features)
            try tester.pair()
            try bench.isPaired(tester)
            guard let key = tester.hostLongTermKey else { throw ScriptFailure("no key") }
            try bench.refreshes(key)
            try bench.send(att: "0A 03 00")
            try bench.expects(att: "0B *")
        }
    }

    // MARK: Keys unwanted by the peer

    @Test(arguments: [("SM/PER/KDU/BI-02-C", false), ("SM/PER/KDU/BI-03-C", true)])
    func `a central that rejects the keys ends the pairing`(_ id: String, isSecure: Bool) throws {
        try conformance(id, rows: [true, false]) { bench, givesKeys in
            bench.host.policy = isSecure ? Bench.open() : Bench.legacy()
            try bench.link(asCentral: false)
            var features = SMFeatures(isSecure: isSecure)
            features.responderKeys = 0x07
            features.initiatorKeys = givesKeys ? 0x07 : 0
            let tester = try begins(bench, features, false)
            try tester.exchangeFeatures()
            try require(tester.responderFeatures.responderKeys != 0, "our host gives no keys")
            if givesKeys {
                try tester.makeKey()
                try tester.encrypt()
                try tester.takeKeys()
                try bench.expectsNothing()
            }
            try tester.fails(.keyRejected)
            try bench.toldPairingFailed(.refusedByPeer(.keyRejected))
            try bench.expectsNothing()
            try require(bond(bench) == nil && bench.host.takeBondChanges().isEmpty, "our host has a bond")
        }
    }

    // MARK: Invalid public keys

    struct Wrong: CustomStringConvertible, Sendable {
        let name: String
        /// The tester goes on as if DHKey were zero.
        let isZero: Bool
        let make: @Sendable (SMTester) -> PairingPublicKey?
        var description: String { name }
    }

    private static let zeros = [UInt8](repeating: 0, count: 32)
    private static let wrong = [
        Wrong(name: "y zero, DHKey zero", isZero: true) { PairingPublicKey(x: $0.ownKey.x, y: zeros) },
        Wrong(name: "y zero", isZero: false) { PairingPublicKey(x: $0.ownKey.x, y: zeros) },
        Wrong(name: "one bit of y", isZero: false) { tester in
            PairingPublicKey(x: tester.ownKey.x, y: tester.ownKey.y.dropLast() + [tester.ownKey.y[31] ^ 1])
        },
        Wrong(name: "zeros", isZero: true) { _ in PairingPublicKey(x: zeros, y: zeros) },
    ]
    /// Our own key, and its negative: our host's is known only where our host is the Central.
    private static let reflected = [
        Wrong(name: "our host's key", isZero: false) { $0.hostKey },
        Wrong(name: "our host's x", isZero: false) { PairingPublicKey(x: $0.hostX, y: $0.ownKey.y) },
        Wrong(name: "our host's key, negative", isZero: false) { $0.hostKey?.negative },
    ]

    @Test(arguments: [
        ("SM/PER/KDU/BI-01-C", false), ("SM/CEN/KDU/BI-01-C", true), ("SM/PER/KDU/BI-04-C", false),
        ("SM/CEN/KDU/BI-04-C", true),
    ])
    func `a public key that is none ends the pairing`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: Self.wrong + (isCentral ? Self.reflected : [])) { bench, row in
            bench.host.policy = Bench.open()
            try bench.link(asCentral: isCentral)
            var keys: Set<[UInt8]> = []
            for _ in 0..<6 {
                let tester = try bench.begins(asCentral: isCentral)
                try tester.exchangeFeatures()
                if isCentral { try tester.takePublicKey() }
                guard let key = row.make(tester) else { throw ScriptFailure("no such key") }
                tester.ownKey = key
                if row.isZero { tester.sharedSecret = Self.zeros }
                try tester.sendPublicKey()
                bench.run(for: .milliseconds(500))
                if !isCentral, bench.peer.frames[Bench.securityManager]?.first?.first == SMTester.Code.publicKey {
                    try tester.takePublicKey()
                }
                keys.insert(tester.hostX)
                try tester.expectsFailure(.diffieHellmanKeyCheckFailed)
                try bench.toldPairingFailed(.refused(.diffieHellmanKeyCheckFailed))
                // Our host ignores a tester that continues all the same.
                try tester.send(SMTester.Code.confirm, bench.randomOctets(16))
                try tester.send(SMTester.Code.random, bench.randomOctets(16))
                try bench.expectsNothing()
                try bench.isUnpaired()
                try bench.relink(asCentral: isCentral)
                bench.forgetTold()
                // A Central has to wait after repeated failures; our host as the Central waits by itself.
                bench.run(for: isCentral ? .zero : .seconds(60))
            }
            guard isCentral else { return }
            try require(keys.count == 6, "our host has used a key pair twice")
            // The wait grows, so that no peer can try many wrong keys.
            try require(
                bench.pauses.count >= 2 && bench.pauses == bench.pauses.sorted(), "it has waited \(bench.pauses)")
        }
    }

    // MARK: Parts

    /// Our host has an identity key to give.
    private func begins(_ bench: Bench, _ features: SMFeatures, _ isCentral: Bool) throws -> SMTester {
        let settings = { (settings: inout PairingSettings) in settings.identityKey = Bench.ownIdentityKey }
        if isCentral { try bench.pairs(settings) } else { try bench.asksForSecurity(settings) }
        return SMTester(bench, isInitiator: !isCentral, features)
    }

    private func bond(_ bench: Bench) -> Bond? { bench.host.bond(for: RawPeer.publicAddress) }
}
