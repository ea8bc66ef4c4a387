// SPDX-License-Identifier: Apache-2.0

import CLibcrypto

/// A key made of a passphrase: scrypt, RFC 7914. The cost makes each guess of the passphrase slow.
package enum Scrypt {
    /// The most memory for a derivation, in octets.
    private static let memory: UInt64 = 256 << 20

    /// A key of `length` octets; nil if the figures are none of scrypt's, or need more than 256 MiB.
    ///
    /// - Parameters:
    ///   - cost: N, a power of two. A derivation takes about 128 · `cost` · `blockSize` octets of memory.
    ///   - blockSize: r.
    ///   - parallel: p.
    package static func key(
        from passphrase: [UInt8], salt: [UInt8], cost: UInt64, blockSize: UInt64, parallel: UInt64, length: Int
    ) -> [UInt8]? {
        guard length > 0 else { return nil }
        var key = [UInt8](repeating: 0, count: length)
        let isMade = passphrase.withUnsafeBytes { octets in
            EVP_PBE_scrypt(
                octets.bindMemory(to: CChar.self).baseAddress, octets.count, salt, salt.count, cost, blockSize,
                parallel, memory, &key, key.count) == 1
        }
        guard isMade else {
            // A refusal must not gather in the thread's list of errors.
            ERR_clear_error()
            return nil
        }
        return key
    }
}
