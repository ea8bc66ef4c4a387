// SPDX-License-Identifier: Apache-2.0

import Testing

/// A cancelled `Task.sleep` holds about 700 octets until its deadline. A process that runs for years cancels many waits.
@Suite("Pauses")
struct PauseRuleTests {
    @Test func `no source waits by Task.sleep, or by a clock's sleep`() throws {
        var found: [String] = []
        for (file, code) in try Repository.code(below: "Sources", with: [".sleep("]) where Self.sleeps(in: code) {
            found.append("\(file): \(code)")
        }
        #expect(found.isEmpty, "Waiting.pause(for:) takes their place:\n\(found.joined(separator: "\n"))")
    }

    private static func sleeps(in code: Substring) -> Bool {
        code.contains(/\bTask\.sleep\(|[cC]lock\w*(\(\))?\.sleep\(/)
    }

    @Test(arguments: [
        ("try? await Task.sleep(for: limit)", true), ("try await clock.sleep(until: end)", true),
        ("try await ContinuousClock().sleep(for: x)", true), ("Thread.sleep(forTimeInterval: 1)", false),
        ("await Waiting.pause(for: limit)", false),
    ])
    func `the test finds a sleep`(code: String, isSleep: Bool) {
        #expect(Self.sleeps(in: code[...]) == isSleep)
    }
}
