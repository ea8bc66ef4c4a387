// SPDX-License-Identifier: Apache-2.0

import SMP
import Testing

struct PairingRefusalTests {
    @Test func `pairing is refused, and a refusal is not answered`() {
        #expect(PairingRefusal.answer(to: [0x01, 3, 0, 1, 16, 0, 0]) == [0x05, 0x05])
        #expect(PairingRefusal.answer(to: [0x0B, 1]) == [0x05, 0x05])
        #expect(PairingRefusal.answer(to: [0x05, 0x05]) == nil)
        #expect(PairingRefusal.answer(to: []) == nil)
    }
}
