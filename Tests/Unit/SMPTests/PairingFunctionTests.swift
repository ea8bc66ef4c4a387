// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

/// The sample data of Core 5.4, Vol 3, Part H, 2.2, 2.3.5.6.1 and Appendix D.
///
/// Left out on purpose is the sample data of functions that this host does not have, so that nothing can use them:
/// - h6, h7 and the conversion of keys between LE and BR/EDR: no key of the other transport is derived or taken
///   ("keys for the other transport are neither offered nor derived" among the conformance tests).
/// - The signatures of signed writes: no signing key is given or taken ("no signing key is given or taken, and signed
///   writes are ignored" there).
/// - sih, the hash of coordinated sets: no profile here has such sets.
/// - The octets of LL_START_ENC_RSP and the session key's vectors: they are the controller's; its block cipher is e.
struct PairingFunctionTests {
    private static let u = PairingSample.octets("20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6")
    private static let v = PairingSample.octets("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd")
    private static let x = PairingSample.octets("d5cb8454d177733effffb2ec712baeab")
    private static let y = PairingSample.octets("a6e8e7cc25a75f6e216583f7ff3dc4cf")
    private static let secret = PairingSample.octets("ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698")
    private static let a1 = DeviceAddress(kind: .public, value: 0x5612_3737_BFCE)
    private static let a2 = DeviceAddress(kind: .public, value: 0xA713_702D_CFC1)

    @Test func `c1 gives the confirm value of legacy pairing`() {
        let value = Cryptography.c1(
            .zero, random: PairingSample.octets("5783D52156AD6F0E6388274EC6702EE0"),
            request: [0x01, 0x01, 0x00, 0x00, 0x10, 0x07, 0x07], response: [0x02, 0x03, 0x00, 0x00, 0x08, 0x00, 0x05],
            initiator: DeviceAddress(kind: .random, value: 0xA1A2_A3A4_A5A6),
            responder: DeviceAddress(kind: .public, value: 0xB1B2_B3B4_B5B6))
        #expect(value == PairingSample.octets("1e1e3fef878988ead2a74dc5bef13b86"))
    }

    @Test func `s1 gives the Short Term Key`() {
        let value = Cryptography.s1(
            .zero, responderRandom: PairingSample.octets("000F0E0D0C0B0A091122334455667788"),
            initiatorRandom: PairingSample.octets("010203040506070899AABBCCDDEEFF00"))
        #expect(value == PairingSample.octets("9a1fe1f0e8b0f49b5b4216ae796da062"))
    }

    @Test(
        arguments: [
            (7, "0000000000000000003456789ABCDEF0"), (8, "0000000000000000123456789ABCDEF0"),
            (15, "003456789ABCDEF0123456789ABCDEF0"), (16, "123456789ABCDEF0123456789ABCDEF0"),
            (255, "123456789ABCDEF0123456789ABCDEF0"),
        ] as [(UInt8, String)])
    func `a short key keeps its least significant octets`(size: UInt8, key: String) {
        #expect(PairingSample.key("123456789ABCDEF0123456789ABCDEF0").masked(to: size) == PairingSample.key(key))
    }

    @Test(
        arguments: [
            (0x00, "f2c916f107a9bd1cf1eda1bea974872d"), (0x80, "7cc67a24d063d84ad094595efe99ff28"),
            (0x81, "79349d5a636c6a3778dde94bf0dabdc7"),
        ] as [(UInt8, String)])
    func `f4 gives the confirm value of Secure Connections`(z: UInt8, value: String) {
        #expect(Cryptography.f4(u: Self.u, v: Self.v, x: Self.x, z: z) == PairingSample.octets(value))
    }

    @Test func `f5 begins with the key T`() throws {
        let salt = PairingSample.key("6C888391AAF5A53860370BDB5A6083BE")
        let temporary = Cryptography.cmac(salt, Self.secret)
        #expect(temporary == PairingSample.octets("3c128f20de88328897624bdb8dac6989"))
        // The two keys follow from it, by the counters 0 and 1.
        let rest =
            Array("btle".utf8) + Self.x + Self.y + PairingSample.octets("0056123737bfce")
            + PairingSample.octets("00a713702dcfc1") + [0x01, 0x00]
        let key = try #require(SecretKey(temporary))
        #expect(Cryptography.cmac(key, [0] + rest) == PairingSample.octets("2965f176a1084a02fd3f6a20ce636e20"))
        #expect(Cryptography.cmac(key, [1] + rest) == PairingSample.octets("6986791169d7cd23980522b594750a38"))
    }

    @Test func `f5 gives the MacKey and the Long Term Key`() {
        let keys = Cryptography.f5(
            secret: Self.secret, initiatorNonce: Self.x, responderNonce: Self.y, initiator: Self.a1,
            responder: Self.a2)
        #expect(keys.macKey == PairingSample.octets("2965f176a1084a02fd3f6a20ce636e20"))
        #expect(keys.longTermKey == PairingSample.octets("6986791169d7cd23980522b594750a38"))
    }

    @Test func `f6 gives the check value`() {
        let value = Cryptography.f6(
            macKey: PairingSample.octets("2965f176a1084a02fd3f6a20ce636e20"), first: (Self.x, Self.a1),
            second: (Self.y, Self.a2), random: PairingSample.octets("12a3343bb453bb5408da42d20c2d0fc8"),
            capabilities: [0x01, 0x01, 0x02])
        #expect(value == PairingSample.octets("e3c473989cd0e8c5d26c0b09da958f61"))
    }

    @Test func `g2 gives the digits that people compare`() {
        #expect(Cryptography.g2(u: Self.u, v: Self.v, x: Self.x, y: Self.y) == 938_554)
    }

    @Test func `comparing looks at every octet and at the length`() {
        #expect(Cryptography.areEqual([1, 2, 3], [1, 2, 3]) && Cryptography.areEqual([], []))
        #expect(!Cryptography.areEqual([1, 2, 3], [1, 2, 4]) && !Cryptography.areEqual([1, 2, 3], [1, 2]))
        let value = Array(0..<16) as [UInt8]
        for bit in 0..<128 {
            var other = value
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!Cryptography.areEqual(value, other) && !Cryptography.areEqual(other, value))
        }
    }

    @Test(arguments: [
        (
            "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd",
            "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd",
            "1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190",
            "4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a",
            "ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"
        ),
        (
            "06a516693c9aa31a6084545d0c5db641b48572b97203ddffb7ac73f7d0457663",
            "529aa0670d72cd6497502ed473502b037e8803b5c60829a5a3caa219505530ba",
            "f465e43ff23d3f1b9dc7dfc04da8758184dbc966204796eccf0d6cf5e16500cc",
            "0201d048bcbbd899eeefc424164e33c201c2b010ca6b4d43a8a155cad8ecb279",
            "ab85843a2f6d883f62e5684b38e307335fe6e1945ecd19604105c6f23221eb69"
        ),
        (
            "529aa0670d72cd6497502ed473502b037e8803b5c60829a5a3caa219505530ba",
            "06a516693c9aa31a6084545d0c5db641b48572b97203ddffb7ac73f7d0457663",
            "2c31a47b5779809ef44cb5eaaf5c3e43d5f8faad4a8794cb987e9b03745c78dd",
            "919512183898dfbecd52e2408e43871fd021109117bd3ed4eaf8437743715d4f",
            "ab85843a2f6d883f62e5684b38e307335fe6e1945ecd19604105c6f23221eb69"
        ),
        (
            "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd",
            "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd",
            "20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6",
            "dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b",
            "70aad7e649f91c7cae5f79fc32992787c38757a8728b7b55da7bb3cb4800ab2d"
        ),
    ])
    func `both sides compute the same secret`(
        own: String, peer: String, peerX: String, peerY: String, secret: String
    ) throws {
        let (own, peer) = (PairingSample.keyPair(own), PairingSample.keyPair(peer))
        #expect(peer.publicKey == PairingPublicKey(x: PairingSample.octets(peerX), y: PairingSample.octets(peerY)))
        #expect(own.sharedSecret(with: peer.publicKey) == PairingSample.octets(secret))
        #expect(peer.sharedSecret(with: own.publicKey) == PairingSample.octets(secret))
    }

    @Test func `the debug key is known, and its negative too`() {
        let key = PairingSample.debugPair.publicKey
        #expect(key.isDebugKey)
        #expect(PairingPublicKey(x: key.x, y: key.y.reversed())?.isDebugKey == true)
        #expect(!PairingSample.initiatorPair.publicKey.isDebugKey)
    }

    @Test func `nothing that is secret prints`() throws {
        let secrets = PairingSample.secrets(PairingSample.debugPair, seed: 0)
        let data = OutOfBandData(random: [0xAB], temporaryKey: .zero)
        let local = LocalOutOfBandData(keyPair: PairingSample.debugPair, random: [0xAB])
        let machine = PairingSample.machine(.central)
        let settings = PairingSample.settings(.central) { $0.passkey = 123_456 }
        let effect = PairingMachine.Effect.send([0x06] + [UInt8](repeating: 0xAB, count: 16))
        let display = PairingMachine.Effect.ask(.display(passkey: 123_456))
        for text in [
            "\(secrets)", String(reflecting: secrets), "\(data)", String(reflecting: data), "\(local)",
            String(reflecting: local), "\(machine)", String(reflecting: machine), "\(settings)",
            String(reflecting: settings), "\(effect)", String(reflecting: effect), "\(display)",
        ] {
            #expect(!text.contains("171") && !text.lowercased().contains("ab,") && !text.contains("123"))
        }
        var dumped = ""
        dump(machine, to: &dumped)
        dump(secrets, to: &dumped)
        dump(effect, to: &dumped)
        #expect(!dumped.contains("171"))
    }
}
