// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

/// The sample data of the specification and of RFC 4493.
struct CryptographyTests {
    private static let message =
        "6bc1bee2 2e409f96 e93d7e11 7393172a ae2d8a57 1e03ac9c 9eb76fac 45af8e51 30c81c46 a35ce411 e5fbc119 1a0a52ef"
        + " f69f2445 df4f9b17 ad2b417b e66c3710"

    private func octets(_ text: String) throws -> [UInt8] {
        try #require([UInt8](hexadecimal: text.filter { $0 != " " }))
    }

    private func key(_ text: String) throws -> SecretKey { try #require(SecretKey(try octets(text))) }

    @Test(arguments: [
        (
            "4c683841 39f574d8 36bcf34e 9dfb01bf", "02132435 46576879 acbdcedf e0f10213",
            "99ad1b52 26a37e3e 058e3b8e 27c2c666"
        ),
        (
            "2b7e1516 28aed2a6 abf71588 09cf4f3c", "00000000 00000000 00000000 00000000",
            "7df76b0c 1ab899b3 3e42f047 b91b546f"
        ),
    ])
    func `e encrypts one block`(key: String, block: String, encrypted: String) throws {
        #expect(Cryptography.e(try self.key(key), try octets(block)) == (try octets(encrypted)))
    }

    @Test(arguments: [
        (0, "bb1d6929 e9593728 7fa37d12 9b756746"), (16, "070a16b4 6b4d4144 f79bdd9d d04a287c"),
        (40, "dfa66747 de9ae630 30ca3261 1497c827"), (64, "51f0bebf 7e3b9d92 fc497417 79363cfe"),
    ])
    func `CMAC authenticates a message of any length`(length: Int, code: String) throws {
        let key = try key("2b7e1516 28aed2a6 abf71588 09cf4f3c")
        let message = Array(try octets(Self.message).prefix(length))
        #expect(Cryptography.cmac(key, message) == (try octets(code)))
    }

    @Test func `ah gives the hash of a resolvable private address`() throws {
        let key = try key("ec0234a3 57c8ad05 341010a6 0a397d9b")
        #expect(Cryptography.ah(key, prand: 0x70_8194) == 0x0D_FBAA)
        let address = try #require(DeviceAddress("70:81:94:0D:FB:AA", kind: .random))
        #expect(address.isResolved(by: key))
        #expect(DeviceAddress.resolvable(key, random: 0x30_8194) == address)
        #expect(!address.isResolved(by: .zero))
        let altered = DeviceAddress(kind: .random, value: address.value ^ 1)
        #expect(!altered.isResolved(by: key))
        #expect(!DeviceAddress(kind: .public, value: address.value).isResolved(by: key))
    }

    @Test(arguments: [0, 1, 0x3F_FFFF, 0xFFFF_FFFF, 0x1234_5678] as [UInt32])
    func `made addresses are of their kind, whatever the randomness`(random: UInt32) throws {
        let key = try key("ec0234a3 57c8ad05 341010a6 0a397d9b")
        let resolvable = DeviceAddress.resolvable(key, random: random)
        #expect(resolvable.isResolvablePrivate && resolvable.isResolved(by: key))
        let part = resolvable.value >> 24 & 0x3F_FFFF
        #expect(part != 0 && part != 0x3F_FFFF)
        let wide = UInt64(random) << 32 | UInt64(random)
        let other = DeviceAddress.nonResolvable(random: wide)
        #expect(other.isNonResolvablePrivate && other.value != 0 && other.value != 0x3FFF_FFFF_FFFF)
    }

    @Test func `the database hash of the specification's sample comes out`() throws {
        let attributes =
            "010000280018020003280a0300002a04000328020500012a06000028011807000328200800052a090002290a0003280a0b00292b"
            + "0c000328020d002a2b0e00002808180f000228140016000f1810000328a21100182a12000229130000290000140001280f1815"
            + "000328021600192a"
        #expect(
            Cryptography.databaseHash(try octets(attributes)) == (try octets("F1CA2D48 ECF58BAC 8A8830BB B9FBA990")))
    }
}
