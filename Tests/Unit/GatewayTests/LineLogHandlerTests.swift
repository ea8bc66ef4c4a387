// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Gateway
import Logging
import Testing

@testable import martlet

@Suite("Lines of the log")
struct LineLogHandlerTests {
    @Test func `a line begins with its time, in UTC, and says so`() {
        let event = LogEvent(level: .info, message: "x", metadata: nil, source: "s", file: "f", function: "f", line: 1)
        let line = LineLogHandler.beginning(event, at: Date(timeIntervalSince1970: 1_800_000_000.25))
        #expect(line == "2027-01-15T08:00:00.250Z info     ")
    }

    @Test func `the ring of a service has details of no line, and each line once`() {
        let ring = LogRing()
        var logger = Logger(label: "test") { _ in ServiceLogHandler(ring, level: .trace) }
        logger[metadataKey: "part"] = "collector"
        logger.trace("a detail")
        logger.notice("collecting", metadata: ["sensor": "a"])
        #expect(ring.tail(5).count == 1)
        #expect(ring.tail(1).first?.hasSuffix("Z notice   collector: collecting sensor=a") == true)
        logger.logLevel = .warning
        logger.notice("not wanted")
        #expect(ring.tail(5).count == 1)
    }

    /// Names come from the air.
    @Test(arguments: [
        ("Fridge", "Fridge"), ("", #""""#), ("Living room", #""Living room""#),
        (#"x" sensor="greenhouse"#, #""x\" sensor=\"greenhouse""#), (#"x\"#, #""x\\""#), (#"x""#, #""x\"""#),
    ])
    func `a name makes no field of its own`(_ text: String, _ shown: String) {
        #expect(LineLogHandler.quoted(text) == shown)
    }

    @Test func `a name has no control over terminals, directions and lines`() {
        let event = LogEvent(
            level: .info, message: "a\u{1B}[2J\u{9B}", metadata: ["x": "\u{202E}b\u{2028}c\n"], source: "s", file: "f",
            function: "f", line: 1)
        let line = LineLogHandler.text(event, [:])
        #expect(!line.unicodeScalars.contains(where: Text.isControl), "\(line)")
    }
}
