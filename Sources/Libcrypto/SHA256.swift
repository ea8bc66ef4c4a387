// SPDX-License-Identifier: Apache-2.0

import CLibcrypto

/// A hash by SHA-256, FIPS 180-4.
package struct SHA256: Sendable {
    /// 32.
    package let octets: [UInt8]

    /// Hashes any number of octets.
    package init(_ data: [UInt8]) {
        var hash = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        guard EVP_Digest(data, data.count, &hash, &length, EVP_sha256(), nil) == 1, length == hash.count else {
            // Only if memory is short.
            preconditionFailure("OpenSSL cannot hash")
        }
        octets = hash
    }
}

extension SHA256: Equatable {
    /// Takes equal time wherever the hashes differ.
    package static func == (left: SHA256, right: SHA256) -> Bool {
        CRYPTO_memcmp(left.octets, right.octets, left.octets.count) == 0
    }
}
