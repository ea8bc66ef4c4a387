// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The functions of pairing, most significant octet first.
extension Cryptography {
    /// Confirm value of LE legacy pairing. Core 5.4, Vol 3, Part H, 2.2.3. `random`: 16 octets; `request`, `response`:
    /// the PDUs with their codes, as they were on the air.
    package static func c1(
        _ key: SecretKey, random: [UInt8], request: [UInt8], response: [UInt8], initiator: DeviceAddress,
        responder: DeviceAddress
    ) -> [UInt8] {
        let first = response.reversed() + request.reversed() + [responder.kind.rawValue, initiator.kind.rawValue]
        let second = [0, 0, 0, 0] + initiator.octets + responder.octets
        return e(key, exclusiveOr(e(key, exclusiveOr(random, first)), second))
    }

    /// Short Term Key of LE legacy pairing, 2.2.4; the numbers have 16 octets.
    package static func s1(_ key: SecretKey, responderRandom: [UInt8], initiatorRandom: [UInt8]) -> [UInt8] {
        e(key, Array(responderRandom.suffix(8) + initiatorRandom.suffix(8)))
    }

    /// Confirm value of Secure Connections, 2.2.6. `u`, `v`: 32 octets; `x`: 16 octets.
    package static func f4(u: [UInt8], v: [UInt8], x: [UInt8], z: UInt8) -> [UInt8] {
        cmac(trusting: x, u + v + [z])
    }

    /// MacKey and Long Term Key of Secure Connections, 2.2.7. `secret`: 32 octets; the nonces have 16.
    package static func f5(
        secret: [UInt8], initiatorNonce: [UInt8], responderNonce: [UInt8], initiator: DeviceAddress,
        responder: DeviceAddress
    ) -> (macKey: [UInt8], longTermKey: [UInt8]) {
        let salt: [UInt8] = [
            0x6C, 0x88, 0x83, 0x91, 0xAA, 0xF5, 0xA5, 0x38, 0x60, 0x37, 0x0B, 0xDB, 0x5A, 0x60, 0x83, 0xBE,
        ]
        let keyIdentifier: [UInt8] = [0x62, 0x74, 0x6C, 0x65]  // "btle"
        let temporary = cmac(trusting: salt, secret)
        let length: [UInt8] = [0x01, 0x00]  // of what comes out, in bits
        let nonces = keyIdentifier + initiatorNonce + responderNonce
        let rest = nonces + initiator.typedOctets + responder.typedOctets + length
        return (cmac(trusting: temporary, [0] + rest), cmac(trusting: temporary, [1] + rest))
    }

    /// Check value of Secure Connections, 2.2.8. `first`, `second`: nonce and address of the sender, and of the
    /// receiver. `capabilities`: AuthReq, OOB flag, IO capability of the sender.
    package static func f6(
        macKey: [UInt8], first: (nonce: [UInt8], address: DeviceAddress),
        second: (nonce: [UInt8], address: DeviceAddress), random: [UInt8], capabilities: [UInt8]
    ) -> [UInt8] {
        cmac(
            trusting: macKey,
            first.nonce + second.nonce + random + capabilities + first.address.typedOctets
                + second.address.typedOctets)
    }

    /// The number that people compare, 2.2.9: 0…999999. `u`, `v`: 32 octets; `x`, `y`: 16 octets.
    package static func g2(u: [UInt8], v: [UInt8], x: [UInt8], y: [UInt8]) -> UInt32 {
        cmac(trusting: x, u + v + y).suffix(4).reduce(0) { $0 << 8 | UInt32($1) } % 1_000_000
    }

    /// Compares in constant time: the duration does not show the place of a difference.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func exclusiveOr(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { zip(left, right).map { $0 ^ $1 } }

    /// Nonces and keys reach this with 16 octets: they come of the decoder, of ``PairingSecrets`` or of CMAC itself.
    private static func cmac(trusting octets: [UInt8], _ message: [UInt8]) -> [UInt8] {
        guard let key = SecretKey(octets) else { preconditionFailure("nonces and keys have 16 octets") }
        return cmac(key, message)
    }
}

extension SecretKey {
    /// As both sides shorten a key to what they agreed on, 7…16 octets: the most significant ones become zero.
    /// Core 5.4, Vol 3, Part H, 2.3.4.
    package func masked(to size: UInt8) -> SecretKey {
        let zeros = Swift.max(0, 16 - Int(size))
        return SecretKey([UInt8](repeating: 0, count: zeros) + octets.dropFirst(zeros)) ?? self
    }

    /// A number as the Temporary Key, 2.3.5.3.
    package init(number: UInt32) {
        let octets = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
        self = SecretKey([UInt8](repeating: 0, count: 12) + octets) ?? .zero
    }
}

extension DeviceAddress {
    /// Six octets, most significant first.
    fileprivate var octets: [UInt8] {
        stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
    }

    /// The form for f5 and f6: the type before the address.
    fileprivate var typedOctets: [UInt8] { [kind.rawValue] + octets }
}
