// SPDX-License-Identifier: Apache-2.0

import Testing

/// The phone's service asks for rows of the table of operations.
struct PhoneServiceTests {
    /// What it needs of the gateway for itself: whose name it advertises, who is a sensor, lines to hand on once a phone may have
    /// them, and the network that goes with the settings.
    private static let looks: Set = ["settings", "bonds", "logLines", "keep"]

    @Test func `the phone's service asks the gateway for nothing beside the table`() throws {
        var calls = 0
        for folder in ["Service", "Improv"] {
            for file in try Repository.files(below: "Sources/Provisioning/\(folder)") where file.hasSuffix(".swift") {
                for call in try Repository.text(file).matches(of: /parts\.operations\.(\w+)/).map({ String($0.1) }) {
                    #expect(Self.looks.contains(call), "\(file) calls \(call): ask PhoneOperations for its row")
                    calls += 1
                }
            }
        }
        #expect(calls > 0)
    }
}
