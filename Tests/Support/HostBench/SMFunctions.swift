// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// The functions of Core 5.4, Vol 3, Part H, 2.2.3-2.2.8, in the tester's own version. They are written from the
/// specification for the tester alone, so a mistake of our host is not made twice. Octets go in and come out most
/// significant first.
enum SMFunctions {
    // MARK: LE legacy pairing

    static func c1(
        _ key: SecretKey, _ random: [UInt8], request: [UInt8], response: [UInt8], initiator: DeviceAddress,
        responder: DeviceAddress
    ) -> [UInt8] {
        // The PDUs in the order of the air.
        let p1 = response.reversed() + request.reversed() + [responder.kind.rawValue, initiator.kind.rawValue]
        let p2 = [0, 0, 0, 0] + octets(of: initiator) + octets(of: responder)
        return Cryptography.e(key, xor(Cryptography.e(key, xor(random, Array(p1))), p2))
    }

    static func s1(_ key: SecretKey, responder: [UInt8], initiator: [UInt8]) -> SecretKey {
        secret(Cryptography.e(key, Array(responder.suffix(8) + initiator.suffix(8))))
    }

    // MARK: Secure Connections

    static func f4(_ u: [UInt8], _ v: [UInt8], _ x: [UInt8], _ z: UInt8) -> [UInt8] {
        Cryptography.cmac(secret(x), u + v + [z])
    }

    static func f5(
        _ secretPoint: [UInt8], _ initiatorNonce: [UInt8], _ responderNonce: [UInt8], initiator: DeviceAddress,
        responder: DeviceAddress
    ) -> (macKey: SecretKey, longTermKey: SecretKey) {
        let t = secret(Cryptography.cmac(secret(hex("6C888391AAF5A53860370BDB5A6083BE")), secretPoint))
        let rest =
            Array("btle".utf8) + initiatorNonce + responderNonce + typed(initiator) + typed(responder) + [0x01, 0x00]
        return (secret(Cryptography.cmac(t, [0] + rest)), secret(Cryptography.cmac(t, [1] + rest)))
    }

    /// `features`: AuthReq, OOB data flag, IO capability.
    static func f6(
        _ macKey: SecretKey, _ own: [UInt8], _ other: [UInt8], _ r: [UInt8], _ features: [UInt8],
        _ ownAddress: DeviceAddress, _ otherAddress: DeviceAddress
    ) -> [UInt8] {
        Cryptography.cmac(macKey, own + other + r + features + typed(ownAddress) + typed(otherAddress))
    }

    /// The six digits.
    static func g2(_ u: [UInt8], _ v: [UInt8], _ x: [UInt8], _ y: [UInt8]) -> UInt32 {
        Cryptography.cmac(secret(x), u + v + y).suffix(4).reduce(0) { $0 << 8 | UInt32($1) } % 1_000_000
    }

    // MARK: Parts

    /// A passkey or a bit's number as 128 bits.
    static func wide(_ number: UInt32) -> [UInt8] {
        [UInt8](repeating: 0, count: 12) + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// A shortened key keeps its least significant octets. Core 5.4, Vol 3, Part H, 2.3.4.
    static func shortened(_ key: SecretKey, to size: UInt8) -> SecretKey {
        secret([UInt8](repeating: 0, count: 16 - Int(size)) + key.octets.suffix(Int(size)))
    }

    static func secret(_ octets: [UInt8]) -> SecretKey {
        guard let key = SecretKey(octets) else { preconditionFailure("a key has 16 octets") }
        return key
    }

    private static func octets(of address: DeviceAddress) -> [UInt8] { address48(address).reversed() }

    private static func typed(_ address: DeviceAddress) -> [UInt8] { [address.kind.rawValue] + octets(of: address) }

    private static func xor(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { zip(left, right).map { $0 ^ $1 } }
}

extension PairingPublicKey {
    /// p of the curve P-256, most significant octet first.
    static let prime = hex("FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF")

    /// The other point with this x: its y is p - y.
    var negative: PairingPublicKey? {
        var borrow = 0
        var result: [UInt8] = []
        for (prime, octet) in zip(Self.prime.reversed(), y.reversed()) {
            let difference = Int(prime) - Int(octet) - borrow
            borrow = difference < 0 ? 1 : 0
            result.append(UInt8(truncatingIfNeeded: difference))
        }
        return PairingPublicKey(x: x, y: result.reversed())
    }
}
