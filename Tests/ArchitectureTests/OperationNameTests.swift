// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Names of operations stand in their table alone. The page's scripts are in another language: `OperationTableTests` checks that they ask
/// only for the page's rows.
struct OperationNameTests {
    private static let table = "Sources/Gateway/Operations/Table/"
    /// Words with another meaning elsewhere in the sources.
    private static let common: Set = [
        "status", "read", "write", "key", "passkey", "clock", "update", "configuration", "settings", "pair", "bonds",
        "log",
    ]
    /// Other vocabularies with the same words: Home Assistant's buttons, and settings of the phone's service.
    private static let others = [
        "Sources/Publisher/HomeAssistant/DiscoveryMessages.swift",
        "Sources/martlet/Commands/Configure/ConfigureEvent.swift",
        "Sources/Provisioning/Client/ProvisioningClient+Settings.swift",
        "Sources/martlet/Demonstration/ProvisionDemonstration.swift",
    ]

    @Test func `no other file writes an operation's name`() throws {
        let text = try Repository.text(Self.table + "OperationName.swift")
        let names = text.matches(of: /case (\w+)(?: = "([\w-]+)")?/).map { String($0.2 ?? $0.1) }
        #expect(names.count > 30)
        let watched = Set(names).subtracting(Self.common)
        for file in try Repository.files(below: "Sources") where file.hasSuffix(".swift") {
            guard !file.hasPrefix(Self.table), !Self.others.contains(file) else { continue }
            let code = try Repository.text(file).split(separator: "\n").filter {
                !$0.trimmingPrefix(while: { $0 == " " }).hasPrefix("//")
            }
            for line in code {
                for literal in line.matches(of: /"([a-z-]+)"/).map(\.1) where watched.contains(String(literal)) {
                    Issue.record("\(file) writes \"\(literal)\": use OperationName")
                }
            }
        }
    }
}
