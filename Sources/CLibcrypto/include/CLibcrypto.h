// SPDX-License-Identifier: Apache-2.0
#include <openssl/core_names.h>
#include <openssl/evp.h>

/// Begins an AES-CMAC with a key of 16 octets; 1, or 0 where OpenSSL cannot.
static inline int begin_aes128_cmac(EVP_MAC_CTX *context, const unsigned char *key) {
    char cipher[] = "AES-128-CBC";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0), OSSL_PARAM_construct_end()};
    return context != NULL && EVP_MAC_init(context, key, 16, parameters);
}
