// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Gateway

struct ProcessSignalsTests {
    /// Async tests run on threads of libdispatch, which block nearly all signals.
    @Test func `a program that a thread of the pool starts has no signal blocked`() async throws {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/grep")
        process.arguments = ["SigBlk", "/proc/self/status"]
        process.standardOutput = output
        try process.runReachable()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text == "SigBlk:\t0000000000000000\n")
    }
}
