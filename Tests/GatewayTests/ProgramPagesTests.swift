// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway

struct ProgramPagesTests {
    @Test func `a program goes on after its pages were given back`() {
        let before = "\(ProgramPagesTests.self)"
        for _ in 0..<3 { #expect(ProgramPages.giveBack()) }
        #expect("\(ProgramPagesTests.self)" == before)
    }
}
