// SPDX-License-Identifier: Apache-2.0

import CLibcrypto

/// Key agreement on the curve P-256, FIPS 186-4, D.1.2.3. Private keys have 32 octets, points 64: X and Y, all most
/// significant first.
package enum P256 {
    private static let pointLength = P256_POINT
    private static let numberLength = P256_NUMBER

    /// A new pair, from the system's generator.
    package static func makeKeys() -> (privateKey: [UInt8], publicKey: [UInt8]) {
        var key = [UInt8](repeating: 0, count: numberLength)
        guard p256_make_private(&key) == 1, let point = publicKey(of: key) else {
            // Only if memory or randomness is short: there is no safe way to go on.
            preconditionFailure("OpenSSL makes no key")
        }
        return (key, point)
    }

    /// The public key of a private key; nil if the private key does not fit the curve.
    package static func publicKey(of key: [UInt8]) -> [UInt8]? {
        guard key.count == numberLength else { return nil }
        var point = [UInt8](repeating: 0, count: pointLength)
        return p256_multiply(key, nil, &point) == 1 ? point : nil
    }

    /// The secret that both sides can compute: the X of the product, 32 octets; nil if the peer's key is no point of
    /// the curve.
    package static func sharedSecret(of key: [UInt8], with peer: [UInt8]) -> [UInt8]? {
        guard key.count == numberLength, peer.count == pointLength else { return nil }
        var product = [UInt8](repeating: 0, count: pointLength)
        defer { OPENSSL_cleanse(&product, pointLength) }
        guard p256_multiply(key, peer, &product) == 1 else { return nil }
        return Array(product.prefix(numberLength))
    }
}
