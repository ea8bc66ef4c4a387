// SPDX-License-Identifier: Apache-2.0

import Testing

/// The phone's service asks for rows of the table of operations.
struct PhoneServiceTests {
    /// The gateway's functions for the service itself: the advertised name, the bonds of sensors, the log lines to hand on to a phone, and
    /// the network that belongs to the settings.
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
