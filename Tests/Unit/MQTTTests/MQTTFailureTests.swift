// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import MQTT

@Suite("Failures with the broker, in words")
struct MQTTFailureTests {
    @Test("More may follow the text of any error, which says something: it has no full stop", arguments: -8...40)
    func fullStop(code: Int32) {
        let text = "\(MQTTFailure.library(code: code, detail: nil))"
        #expect(text.last != "." && !text.contains("Unknown error"), "\(text)")
    }

    @Test("A failed system call is reported once, with its own error")
    func systemCall() {
        errno = ECONNREFUSED
        let failure = MQTTFailure(code: 14)  // MOSQ_ERR_ERRNO
        #expect(failure.description == "Connection refused")
        errno = ENOENT
        #expect(failure.description == "Connection refused")
    }
}
