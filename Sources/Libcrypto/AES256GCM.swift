// SPDX-License-Identifier: Apache-2.0

import CLibcrypto

/// Authenticated encryption: AES-256-GCM, NIST SP 800-38D. Two messages of one key need two nonces.
package enum AES256GCM {
    /// Octets of a key.
    package static let keyLength = 32
    /// Octets of a nonce.
    package static let nonceLength = 12
    /// Octets of the authentication tag behind the ciphertext.
    package static let tagLength = 16

    /// The ciphertext and its tag; nil if key or nonce have another length, or the plaintext has more than 1 GiB.
    package static func seal(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]
    ) -> [UInt8]? {
        guard isUsable(key, nonce, plaintext.count), let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        // One octet more: an empty array has no address.
        var sealed = [UInt8](repeating: 0, count: plaintext.count + 1)
        var tag = [UInt8](repeating: 0, count: tagLength)
        var (length, rest): (Int32, Int32) = (0, 0)
        guard EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            EVP_EncryptUpdate(context, nil, &rest, additionalData, Int32(additionalData.count)) == 1,
            EVP_EncryptUpdate(context, &sealed, &length, plaintext, Int32(plaintext.count)) == 1,
            EVP_EncryptFinal_ex(context, &tag, &rest) == 1, Int(length) == plaintext.count,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), &tag) == 1
        else { return nil }
        return Array(sealed.dropLast()) + tag
    }

    /// The plaintext of a ciphertext with its tag; nil if the key, the nonce, the additional data or an octet is wrong.
    package static func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]
    ) -> [UInt8]? {
        let count = sealed.count - tagLength
        guard count >= 0, isUsable(key, nonce, count), let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var plaintext = [UInt8](repeating: 0, count: count + 1)
        var tag = Array(sealed.suffix(tagLength))
        var end = [UInt8](repeating: 0, count: tagLength)
        var (length, rest): (Int32, Int32) = (0, 0)
        guard EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            EVP_DecryptUpdate(context, nil, &rest, additionalData, Int32(additionalData.count)) == 1,
            EVP_DecryptUpdate(context, &plaintext, &length, sealed, Int32(count)) == 1, Int(length) == count,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), &tag) == 1,
            EVP_DecryptFinal_ex(context, &end, &rest) == 1
        else { return nil }
        return Array(plaintext.dropLast())
    }

    private static func isUsable(_ key: [UInt8], _ nonce: [UInt8], _ count: Int) -> Bool {
        key.count == keyLength && nonce.count == nonceLength && count <= 1 << 30
    }
}
