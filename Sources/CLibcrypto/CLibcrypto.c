// SPDX-License-Identifier: Apache-2.0

#include <openssl/crypto.h>

// OpenSSL frees everything when the process exits, also what other threads still use: a thread that has computed with it and
// ends in that moment crashes the process. The kernel frees it all the same. Only the first call for OpenSSL can say so, and
// that may be another library's: so this is before main.
__attribute__((constructor)) static void leave_openssl_to_the_kernel(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
