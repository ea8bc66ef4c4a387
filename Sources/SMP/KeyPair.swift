// SPDX-License-Identifier: Apache-2.0

import Libcrypto

/// A point of P-256 as Pairing Public Key carries it. Core 5.4, Vol 3, Part H, 3.5.6.
package struct PairingPublicKey: Equatable, Sendable {
    /// 32 octets each, most significant first.
    package let x: [UInt8]
    package let y: [UInt8]

    /// Nil unless both have 32 octets; whether it is on the curve shows in ``KeyPair/sharedSecret(with:)``.
    package init?(x: [UInt8], y: [UInt8]) {
        guard x.count == 32, y.count == 32 else { return nil }
        self.x = x
        self.y = y
    }

    /// The X of the key pair whose private half the specification prints. Core 5.4, Vol 3, Part H, 2.3.5.6.1.
    private static let debugX: [UInt8] = [
        0x20, 0xB0, 0x03, 0xD2, 0xF2, 0x97, 0xBE, 0x2C, 0x5E, 0x2C, 0x83, 0xA7, 0xE9, 0xF9, 0xA5, 0xB9,
        0xEF, 0xF4, 0x91, 0x11, 0xAC, 0xF4, 0xFD, 0xDB, 0xCC, 0x03, 0x01, 0x48, 0x0E, 0x35, 0x9D, 0xE6,
    ]

    /// The private key of this public key, or of its negative with the same X, is public.
    package var isDebugKey: Bool { x == Self.debugX }

    fileprivate init(point: [UInt8]) {
        x = Array(point.prefix(32))
        y = Array(point.dropFirst(32))
    }
}

/// A key pair of P-256. Core 5.4, Vol 3, Part H, 2.3.5.6.1.
package struct KeyPair: Sendable {
    private let key: [UInt8]
    package let publicKey: PairingPublicKey

    /// Makes a new pair with the system's generator.
    package init() {
        let keys = P256.makeKeys()
        key = keys.privateKey
        publicKey = PairingPublicKey(point: keys.publicKey)
    }

    /// Nil unless the octets, most significant first, are a private key of the curve.
    package init?(privateKey octets: [UInt8]) {
        guard let point = P256.publicKey(of: octets) else { return nil }
        key = octets
        publicKey = PairingPublicKey(point: point)
    }

    /// DHKey, 32 octets, most significant first; nil when the peer's key is no point of the curve.
    package func sharedSecret(with peer: PairingPublicKey) -> [UInt8]? {
        P256.sharedSecret(of: key, with: peer.x + peer.y)
    }
}

extension KeyPair: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<key pair>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
