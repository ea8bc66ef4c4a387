// SPDX-License-Identifier: Apache-2.0

import CLibcrypto

/// AES with a key of 16 octets. FIPS 197.
package enum AES128 {
    /// Octets of a key, a block and an authentication code.
    package static let blockLength = 16

    // Looked up once: OpenSSL searches its providers at each look-up by name. Unchecked, because a C pointer cannot
    // express OpenSSL's promise for both: any thread may use them.
    nonisolated(unsafe) private static let blockCipher = EVP_CIPHER_fetch(nil, "AES-128-ECB", nil)
    nonisolated(unsafe) private static let cipherCode = EVP_MAC_fetch(nil, "CMAC", nil)

    /// Encrypts one block; nil unless key and block have 16 octets each.
    package static func encrypt(_ block: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard block.count == blockLength, key.count == blockLength else { return nil }
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var encrypted = [UInt8](repeating: 0, count: blockLength)
        var length: Int32 = 0
        guard EVP_EncryptInit_ex2(context, blockCipher, key, nil, nil) == 1,
            EVP_CIPHER_CTX_set_padding(context, 0) == 1,
            EVP_EncryptUpdate(context, &encrypted, &length, block, Int32(blockLength)) == 1,
            length == blockLength
        else { preconditionFailure(Self.failure) }
        return encrypted
    }

    /// AES-CMAC of a message of any length, RFC 4493: 16 octets; nil unless the key has 16.
    package static func cmac(_ message: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard key.count == blockLength else { return nil }
        var code = [UInt8](repeating: 0, count: blockLength)
        var length = 0
        let context = EVP_MAC_CTX_new(cipherCode)
        defer { EVP_MAC_CTX_free(context) }
        guard begin_aes128_cmac(context, key) == 1, EVP_MAC_update(context, message, message.count) == 1,
            EVP_MAC_final(context, &code, &length, code.count) == 1, length == blockLength
        else { preconditionFailure(Self.failure) }
        return code
    }

    /// Only if memory is short, or OpenSSL lacks the cipher: there is no safe way to go on.
    private static let failure = "OpenSSL cannot encrypt"
}
