// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import SensorCipher
import Testing

/// Encrypted Advertising Data, with the sample data of the Supplement to the Core Specification, Part A, 2.3.
struct EncryptedDataTests {
    private static let key: [UInt8] = [
        0x57, 0xA9, 0xDA, 0x12, 0xD1, 0x2E, 0x6E, 0x13, 0x1E, 0x20, 0x61, 0x2A, 0xD1, 0x0A, 0x6A, 0x19,
        // The initialization vector.
        0x9E, 0x7A, 0x00, 0xEF, 0xB1, 0x7A, 0xE7, 0x46,
    ]
    private static let address: UInt64 = 0xC000_0000_0001

    private static func advertisements(_ structures: [UInt8]) -> [Advertisement] {
        Advertisement.all(in: structures[...], address: address)
    }

    private static func recognised(_ structures: [UInt8]) -> SensorFamilies.Recognised? {
        advertisements(structures).lazy.compactMap(SensorFamilies.recognise).first { $0.decoder.isEnvelope }
    }

    /// AD structures in an envelope.
    private static func envelope(_ inner: [UInt8], randomizer: [UInt8] = [1, 2, 3, 4, 0x85]) -> [UInt8] {
        let sealed = PacketCipher.sealCCM(
            inner, key: Array(key.prefix(16)), nonce: randomizer + key.suffix(8), additionalData: [0xEA], tagLength: 4)
        let data = randomizer + sealed.ciphertext + sealed.tag
        return [UInt8(data.count + 1), 0x31] + data
    }

    @Test(arguments: [
        "1e3118e157cade74e4dcafdc51c7282810c2217f0e4cef4343181fba0069cc",
        "1e318d1c976e7a35444076125788c238a58e8bd9cff0defe251a8e7275454c",
    ])
    func `the specification's sample data opens to its structures`(_ octets: String) throws {
        let structures = try #require([UInt8](hexadecimal: octets))
        let found = try #require(Self.recognised(structures))
        guard case .sealed(let sealed) = found.packet else { return #expect(Bool(false), "it is encrypted") }
        #expect(sealed.isAuthentic && !sealed.needsProof && sealed.counter == nil)
        let opened = try #require(PacketCipher.open(sealed, key: Self.key))
        #expect(opened == [0x0F, 0x09] + Array("Short Mini-Bus".utf8) + [0x03, 0x19, 0x0A, 0x8C])
        #expect(found.opened(opened) == nil, "a name and an appearance are no values")
        var other = Self.key
        other[20] ^= 1
        #expect(PacketCipher.open(sealed, key: other) == nil)
        #expect(PacketCipher.open(sealed, key: Array(Self.key.prefix(16))) == nil)
        #expect(found.decoder.key(from: Self.key) == Self.key)
        #expect(found.decoder.key(from: Array(Self.key.prefix(16))) == nil)
    }

    @Test(arguments: [
        ("0a16d2fc4002ca0903bf13", "bthome", 25.06),
        // The name outside of the envelope is part of the packet.
        ("09ff88ec0002d2886400", "govee", 18.4),
    ])
    func `opened structures are read like an advertisement's`(
        _ inner: String, _ family: String, _ value: Double
    ) throws {
        let name = Array("GVH5075_0001".utf8)
        let octets = try #require([UInt8](hexadecimal: inner))
        let found = try #require(
            Self.recognised([2, 1, 6] + [UInt8(name.count + 1), 9] + name + Self.envelope(octets)))
        guard case .sealed(let sealed) = found.packet else { return #expect(Bool(false), "it is encrypted") }
        let plain = try #require(PacketCipher.open(sealed, key: Self.key))
        let opened = try #require(found.opened(plain))
        #expect(opened.decoder.family == family)
        let fields = try opened.decoder.decode(opened.packet.value)
        #expect(fields.first { $0.key == "temperature" }?.value.number == value, "\(fields)")
    }

    @Test func `values beside an envelope count, an envelope in an envelope does not, and their number is bounded`() {
        let plain: [UInt8] = [9, 0x16, 0xD2, 0xFC, 0x40, 0x00, 1, 0x02, 0x10, 0x27]
        let both = Self.advertisements(plain + Self.envelope(plain)).compactMap(SensorFamilies.recognise)
        #expect(both.map(\.decoder.family) == ["bthome", "encrypted-data"])
        let nested = Self.recognised(Self.envelope(Self.envelope(plain)))
        #expect(nested?.opened(Self.envelope(plain)) == nil)
        let short: [UInt8] = [10, 0x31] + [UInt8](repeating: 7, count: 9)
        #expect(Self.recognised(short) == nil, "a randomizer and a tag have no data between them")
        let many = Array((0..<10).map { _ in short }.joined())
        #expect(Self.advertisements(many).count == 5)
    }

    @Test func `a damaged envelope yields nothing`() throws {
        let plain: [UInt8] = [9, 0x16, 0xD2, 0xFC, 0x40, 0x00, 1, 0x02, 0x10, 0x27]
        let whole = Self.envelope(plain)
        for index in 2..<whole.count {
            for bit in 0..<8 {
                var octets = whole
                octets[index] ^= 1 << UInt8(bit)
                let found = try #require(Self.recognised(octets))
                guard case .sealed(let sealed) = found.packet else { continue }
                #expect(PacketCipher.open(sealed, key: Self.key) == nil, "\(index), \(bit)")
            }
        }
    }
}
