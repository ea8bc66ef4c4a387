// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import martlet

@Suite("Lines of the log")
struct LineLogHandlerTests {
    /// Names come from the air.
    @Test(arguments: [
        ("Fridge", "Fridge"), ("", #""""#), ("Living room", #""Living room""#),
        (#"x" sensor="greenhouse"#, #""x\" sensor=\"greenhouse""#), (#"x\"#, #""x\\""#), (#"x""#, #""x\"""#),
    ])
    func `a name makes no field of its own`(_ text: String, _ shown: String) {
        #expect(LineLogHandler.quoted(text) == shown)
    }
}
