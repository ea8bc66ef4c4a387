// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Readings
import SensorCipher
import Testing

@testable import HostBench

/// Sending and observing encrypted advertising data.
struct EncryptedDataTests {
    /// The sample data of the Supplement to the Core Specification, Part A, 2.3.1.
    private static let sample =
        "1E 31 18 E1 57 CA DE 74 E4 DC AF DC 51 C7 28 28 10 C2 21 7F 0E 4C EF 43 43 18 1F BA 00 69 CC"
    private static let keyMaterial = "57 A9 DA 12 D1 2E 6E 13 1E 20 61 2A D1 0A 6A 19 9E 7A 00 EF B1 7A E7 46"
    private static let structures = "0F 09 53 68 6F 72 74 20 4D 69 6E 69 2D 42 75 73 03 19 0A 8C"

    @Test func `GAP/SCN/BV-01-C the observer decrypts encrypted advertising data`() throws {
        try conformance("GAP/SCN/BV-01-C") { bench in
            try bench.peer.advertise(Self.sample, scanResponse: "", type: 3)
            let seen = bench.scan()
            let octets = hex(Self.sample)
            guard let sighted = seen.first(where: { Array($0.octets.prefix(octets.count)) == octets }) else {
                throw ScriptFailure("the client was told \(seen)")
            }
            let found = Advertisement.all(in: sighted.octets[...], address: sighted.address.value).lazy
                .compactMap(SensorFamilies.recognise).first
            guard case .sealed(let sealed)? = found?.packet else { throw ScriptFailure("nothing encrypted was seen") }
            let opened = PacketCipher.open(sealed, key: hex(Self.keyMaterial))
            try require(opened == hex(Self.structures), "opened to \(String(describing: opened))")
            var other = hex(Self.keyMaterial)
            other[0] ^= 1
            try require(PacketCipher.open(sealed, key: other) == nil, "another key opens it, too")
        }
    }

    @Test func `GAP/ADV/BV-20-C encrypted data`() throws {
        try conformance("GAP/ADV/BV-20-C") { bench in try Self.send(hex(Self.structures), bench) }
    }

    @Test func `GAP/ADV/BV-21-C encrypted data with padding`() throws {
        try conformance("GAP/ADV/BV-21-C") { bench in
            try Self.send(hex("05 09 4D 61 72 74") + [UInt8](repeating: 0, count: 14), bench)
        }
    }

    /// The tester receives the structures of our host, opens them, and finds them as they were.
    private static func send(_ plaintext: [UInt8], _ bench: Bench) throws {
        let (material, randomizer) = (hex(keyMaterial), hex("18 E1 57 CA DE"))
        let sealed = PacketCipher.sealCCM(
            plaintext, key: Array(material.prefix(16)), nonce: randomizer + material.suffix(8), additionalData: [0xEA],
            tagLength: 4)
        let data = randomizer + sealed.ciphertext + sealed.tag
        let octets = [UInt8(data.count + 1), 0x31] + data
        try bench.advertise(text(octets))
        try bench.heard(type: 0, text(octets))
        let found = Advertisement.all(in: octets[...], address: nil).lazy.compactMap(SensorFamilies.recognise).first
        guard case .sealed(let packet)? = found?.packet else { throw ScriptFailure("nothing encrypted was sent") }
        try require(PacketCipher.open(packet, key: material) == plaintext, "opened to other structures")
    }
}
