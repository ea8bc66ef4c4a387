// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import Testing

@testable import martlet

@Suite("Lines of the log")
struct LineLogHandlerTests {
    @Test func `a line begins with its time, in UTC, and says so`() {
        let event = LogEvent(level: .info, message: "x", metadata: nil, source: "s", file: "f", function: "f", line: 1)
        let time = LineLogHandler.beginning(event).prefix { $0 != " " }
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(time)")
    }

    /// Names come from the air.
    @Test(arguments: [
        ("Fridge", "Fridge"), ("", #""""#), ("Living room", #""Living room""#),
        (#"x" sensor="greenhouse"#, #""x\" sensor=\"greenhouse""#), (#"x\"#, #""x\\""#), (#"x""#, #""x\"""#),
    ])
    func `a name makes no field of its own`(_ text: String, _ shown: String) {
        #expect(LineLogHandler.quoted(text) == shown)
    }
}
