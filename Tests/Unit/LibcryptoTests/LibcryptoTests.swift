// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Libcrypto
import Testing

/// Published vectors, and points off the curve.
struct LibcryptoTests {
    private static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"

    private func octets(_ text: String) throws -> [UInt8] { try #require([UInt8](hexadecimal: text)) }

    /// RFC 5903, 8.1.
    @Test("both sides of a key agreement get the standard's secret")
    func agreement() throws {
        let initiator = try octets("c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433")
        let responder = try octets("c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53")
        let secret = try octets("d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de")
        let initiatorKey = try octets(
            "dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c37725811805271a0461cdb8252d61f1c456fa3e59ab1f45b33accf"
                + "5f58389e0577b8990bb3")
        #expect(P256.publicKey(of: initiator) == initiatorKey)
        let responderKey = try #require(P256.publicKey(of: responder))
        #expect(P256.sharedSecret(of: initiator, with: responderKey) == secret)
        #expect(P256.sharedSecret(of: responder, with: initiatorKey) == secret)
    }

    @Test("made keys differ, and agree")
    func makingKeys() {
        let (a, b) = (P256.makeKeys(), P256.makeKeys())
        #expect(a.privateKey != b.privateKey)
        let secret = P256.sharedSecret(of: a.privateKey, with: b.publicKey)
        #expect(secret?.count == 32)
        #expect(secret == P256.sharedSecret(of: b.privateKey, with: a.publicKey))
    }

    @Test(
        "an invalid private key is refused",
        arguments: [String(repeating: "0", count: 64), order, String(repeating: "f", count: 64), "01", ""])
    func privateKeys(_ number: String) throws {
        let number = try octets(number)
        #expect(P256.publicKey(of: number) == nil)
        #expect(P256.sharedSecret(of: number, with: P256.makeKeys().publicKey) == nil)
    }

    /// CVE-2018-5383; in the last point but one, X is at least the field's prime, and stands for the X 5 + p.
    @Test("a point off the curve, or out of range, is refused")
    func invalidPoints() throws {
        let own = P256.makeKeys()
        var altered = own.publicKey
        altered[63] ^= 1
        var zeroed = own.publicKey
        zeroed.replaceSubrange(32..., with: [UInt8](repeating: 0, count: 32))
        let y5 = try octets("459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc")
        let x5 = [UInt8](repeating: 0, count: 31) + [5]
        #expect(P256.sharedSecret(of: own.privateKey, with: x5 + y5) != nil)
        let xBeyond = try octets("ffffffff00000001000000000000000000000001000000000000000000000004")
        for point in [altered, zeroed, [UInt8](repeating: 0, count: 64), xBeyond + y5, Array(own.publicKey.dropLast())]
        {
            #expect(P256.sharedSecret(of: own.privateKey, with: point) == nil)
        }
    }

    @Test("keys and blocks of another length are refused")
    func lengths() {
        let sixteen = [UInt8](repeating: 1, count: 16)
        for count in [0, 15, 17, 32] {
            #expect(AES128.encrypt([UInt8](repeating: 0, count: count), key: sixteen) == nil)
            #expect(AES128.encrypt(sixteen, key: [UInt8](repeating: 0, count: count)) == nil)
            #expect(AES128.cmac(sixteen, key: [UInt8](repeating: 0, count: count)) == nil)
        }
    }

    /// FIPS 197, C.1.
    @Test("AES encrypts a block as the standard's example does")
    func block() throws {
        let key = try octets("000102030405060708090a0b0c0d0e0f")
        let encrypted = try octets("69c4e0d86a7b0430d8cdb78070b4c55a")
        #expect(AES128.encrypt(try octets("00112233445566778899aabbccddeeff"), key: key) == encrypted)
    }

    /// RFC 4493, 4.
    @Test(
        "AES-CMAC equals the standard's examples",
        arguments: [
            ("", "bb1d6929e95937287fa37d129b756746"),
            ("6bc1bee22e409f96e93d7e117393172a", "070a16b46b4d4144f79bdd9dd04a287c"),
        ])
    func code(_ message: String, _ code: String) throws {
        let key = try octets("2b7e151628aed2a6abf7158809cf4f3c")
        #expect(AES128.cmac(try octets(message), key: key) == (try octets(code)))
    }

    /// FIPS 180-4's examples.
    @Test(
        "SHA-256 hashes as the standard's examples do",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ])
    func hashes(_ text: String, _ hash: String) throws {
        #expect(SHA256(Array(text.utf8)).octets == (try octets(hash)))
        #expect(SHA256(Array(text.utf8)) == SHA256(Array(text.utf8)))
        #expect(SHA256(Array(text.utf8)) != SHA256(Array("abd".utf8)))
    }

    /// The Galois/Counter Mode of Operation (McGrew, Viega), test case 16.
    @Test func `AES-256-GCM seals as published, and opens nothing that was changed`() throws {
        let key = try octets("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
        let plaintext = try octets(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5"
                + "aa0de657ba637b39")
        let data = try octets("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let nonce = try octets("cafebabefacedbaddecaf888")
        let sealed = try octets(
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e63"
                + "93ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b")
        #expect(AES256GCM.seal(plaintext, key: key, nonce: nonce, additionalData: data) == sealed)
        #expect(AES256GCM.open(sealed, key: key, nonce: nonce, additionalData: data) == plaintext)
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1
            #expect(AES256GCM.open(changed, key: key, nonce: nonce, additionalData: data) == nil)
        }
        #expect(AES256GCM.open(sealed, key: key, nonce: nonce, additionalData: data.dropLast()) == nil)
        #expect(AES256GCM.open(Array(sealed.prefix(15)), key: key, nonce: nonce, additionalData: data) == nil)
        let empty = try #require(AES256GCM.seal([], key: key, nonce: nonce, additionalData: []))
        #expect(empty.count == 16 && AES256GCM.open(empty, key: key, nonce: nonce, additionalData: []) == [])
        #expect(AES256GCM.seal([], key: Array(key.dropLast()), nonce: nonce, additionalData: []) == nil)
    }

    /// RFC 7914, 12.
    @Test func `scrypt makes the published key, and none by figures that are not its own`() throws {
        let key = Scrypt.key(
            from: Array("password".utf8), salt: Array("NaCl".utf8), cost: 1_024, blockSize: 8, parallel: 16, length: 64)
        #expect(
            key
                == (try octets(
                    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727"
                        + "afb94a83ee6d8360cbdfa2cc0640")))
        #expect(Scrypt.key(from: [1], salt: [2], cost: 1_000, blockSize: 8, parallel: 1, length: 32) == nil)
        #expect(Scrypt.key(from: [1], salt: [2], cost: 1 << 22, blockSize: 8, parallel: 1, length: 32) == nil)
    }
}
