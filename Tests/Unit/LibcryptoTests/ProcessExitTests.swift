// SPDX-License-Identifier: Apache-2.0

import CLibcrypto
import Glibc
import Libcrypto
import Testing

struct ProcessExitTests {
    @Test("OpenSSL stays at exit for threads that still use it")
    func exitLeavesOpenSSLAlone() async {
        await #expect(processExitsWith: .exitCode(0)) {
            _ = P256.makeKeys()
            // OpenSSL calls the closure when it frees everything.
            OPENSSL_atexit { _exit(9) }
            exit(0)
        }
    }

    @Test("its being freed would be noticed")
    func freeingIsNoticed() async {
        await #expect(processExitsWith: .exitCode(9)) {
            _ = P256.makeKeys()
            OPENSSL_atexit { _exit(9) }
            OPENSSL_cleanup()
            exit(0)
        }
    }
}
