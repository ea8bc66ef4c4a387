// SPDX-License-Identifier: Apache-2.0

import CLibcrypto

/// Opens encrypted advertisements, whose nonces and tags are shorter than usual. OpenSSL's libcrypto does the work.
package enum PacketCipher {
    /// Decrypts and proves: RFC 3610. OpenSSL takes nonces of 7…13 octets and tags of 4…16. Nil when the tag does not fit.
    package static func openCCM(
        _ ciphertext: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8], tag: [UInt8]
    ) -> [UInt8]? {
        guard key.count == 16, (7...13).contains(nonce.count), let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var tag = tag
        var length: Int32 = 0
        guard EVP_DecryptInit_ex(context, EVP_aes_128_ccm(), nil, nil, nil) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(nonce.count), nil) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
            EVP_DecryptInit_ex(context, nil, nil, key, nonce) == 1,
            EVP_DecryptUpdate(context, nil, &length, nil, Int32(ciphertext.count)) == 1
        else { return nil }
        if !additionalData.isEmpty {
            guard EVP_DecryptUpdate(context, nil, &length, additionalData, Int32(additionalData.count)) == 1 else {
                return nil
            }
        }
        var plaintext = [UInt8](repeating: 0, count: ciphertext.count)
        guard EVP_DecryptUpdate(context, &plaintext, &length, ciphertext, Int32(ciphertext.count)) == 1 else {
            return nil
        }
        return plaintext
    }

    /// Encrypts for a simulated sensor: RFC 3610 with a nonce of 7…13 octets and a tag of 4…16. Empty for other
    /// lengths.
    package static func sealCCM(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8] = [], tagLength: Int
    ) -> (ciphertext: [UInt8], tag: [UInt8]) {
        var tag = [UInt8](repeating: 0, count: tagLength)
        guard key.count == 16, (7...13).contains(nonce.count), let context = EVP_CIPHER_CTX_new() else {
            return ([], [])
        }
        defer { EVP_CIPHER_CTX_free(context) }
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var length: Int32 = 0
        guard EVP_EncryptInit_ex(context, EVP_aes_128_ccm(), nil, nil, nil) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(nonce.count), nil) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), nil) == 1,
            EVP_EncryptInit_ex(context, nil, nil, key, nonce) == 1,
            EVP_EncryptUpdate(context, nil, &length, nil, Int32(plaintext.count)) == 1,
            additionalData.isEmpty
                || EVP_EncryptUpdate(context, nil, &length, additionalData, Int32(additionalData.count)) == 1,
            EVP_EncryptUpdate(context, &ciphertext, &length, plaintext, Int32(plaintext.count)) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), &tag) == 1
        else { return ([], []) }
        return (ciphertext, tag)
    }

    /// AES-128-CTR, which is equal in both directions. Empty if key or block are not 16 octets.
    package static func applyCTR(_ octets: [UInt8], key: [UInt8], block: [UInt8]) -> [UInt8] {
        openCTR(octets, key: key, block: block) ?? []
    }

    /// Deciphers a block of AES-128-ECB. Nil unless block and key are 16 octets.
    package static func openBlock(_ block: [UInt8], key: [UInt8]) -> [UInt8]? {
        block.count == 16 ? run(EVP_aes_128_ecb(), key: key, initial: nil, on: block) : nil
    }

    /// AES-128-CTR from the given first block. Nil unless key and block are 16 octets.
    package static func openCTR(_ octets: [UInt8], key: [UInt8], block: [UInt8]) -> [UInt8]? {
        run(EVP_aes_128_ctr(), key: key, initial: block, on: octets)
    }

    /// Deciphers AES-128-CBC without padding. Nil unless key and initialization vector are 16 octets, and the octets are
    /// whole blocks.
    package static func openCBC(_ octets: [UInt8], key: [UInt8], initial: [UInt8]) -> [UInt8]? {
        octets.count.isMultiple(of: 16) ? run(EVP_aes_128_cbc(), key: key, initial: initial, on: octets) : nil
    }

    /// Enciphers for a simulated sensor: AES-128-CBC without padding. Empty for other lengths than whole blocks.
    package static func sealCBC(_ octets: [UInt8], key: [UInt8], initial: [UInt8]) -> [UInt8] {
        guard octets.count.isMultiple(of: 16), key.count == 16, initial.count == 16,
            let context = EVP_CIPHER_CTX_new()
        else { return [] }
        defer { EVP_CIPHER_CTX_free(context) }
        var ciphertext = [UInt8](repeating: 0, count: octets.count + 16)
        var length: Int32 = 0
        guard EVP_EncryptInit_ex(context, EVP_aes_128_cbc(), nil, key, initial) == 1,
            EVP_CIPHER_CTX_set_padding(context, 0) == 1,
            EVP_EncryptUpdate(context, &ciphertext, &length, octets, Int32(octets.count)) == 1,
            length == octets.count
        else { return [] }
        return [UInt8](ciphertext.prefix(octets.count))
    }

    private static func run(
        _ cipher: OpaquePointer?, key: [UInt8], initial: [UInt8]?, on ciphertext: [UInt8]
    ) -> [UInt8]? {
        guard key.count == 16, initial.map({ $0.count == 16 }) ?? true, let context = EVP_CIPHER_CTX_new() else {
            return nil
        }
        defer { EVP_CIPHER_CTX_free(context) }
        var plaintext = [UInt8](repeating: 0, count: ciphertext.count + 16)
        var length: Int32 = 0
        guard EVP_DecryptInit_ex(context, cipher, nil, key, initial) == 1,
            EVP_CIPHER_CTX_set_padding(context, 0) == 1,
            EVP_DecryptUpdate(context, &plaintext, &length, ciphertext, Int32(ciphertext.count)) == 1,
            length == ciphertext.count
        else { return nil }
        return [UInt8](plaintext.prefix(ciphertext.count))
    }
}
