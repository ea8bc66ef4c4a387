// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Names of operations stand in their table alone. The page's scripts are in another language: `OperationTableTests` checks that they ask
/// only for the page's rows.
struct OperationNameTests {
    private static let table = "Sources/Operations/"
    /// Words that mean something else in sensors, files and settings. The ways to the gateway do not write them either.
    private static let common: Set = [
        "status", "read", "write", "key", "passkey", "clock", "update", "configuration", "settings", "pair", "bonds",
        "log",
    ]
    /// The ways to the gateway, and the operations behind them.
    private static let ways = [
        "Sources/Gateway/Operations/", "Sources/Gateway/Control/", "Sources/Gateway/GatewayService", "Sources/Page/",
        "Sources/Provisioning/Service/", "Sources/Publisher/Commands/", "Sources/Publisher/HomeAssistant/",
        "Sources/martlet/Commands/",
    ]
    /// Other vocabularies with the same words, by file.
    private static let others: [String: Set<String>] = [
        // The key of an entity in Home Assistant.
        "Sources/Publisher/HomeAssistant/GatewayEntity.swift": ["clock"],
        // Events of `martlet configure --json`, and a set-up's options.
        "Sources/martlet/Commands/Configure/ConfigureEvent.swift": ["status", "log", "identify", "factory-reset"],
        "Sources/martlet/Demonstration/ProvisionDemonstration.swift": ["provision"],
        // Keys of the phone's values.
        "Sources/Provisioning/Client/ProvisioningClient+Settings.swift": ["identify"],
        "Sources/Provisioning/Service/ProvisioningService+Lines.swift": ["status"],
        "Sources/Provisioning/Service/ProvisioningService+Writes.swift": ["passkey"],
        // Keys of the configuration, arguments, labels of the log, folders and parts of a test.
        "Sources/Gateway/GatewayService.swift": ["clock", "settings"],
        "Sources/Gateway/Backup/StateInventory.swift": ["factory-reset"],
        "Sources/Gateway/Operations/FactoryReset.swift": ["bonds"],
        "Sources/Gateway/Operations/GatewayOperator+Sensors.swift": ["passkey"],
        "Sources/martlet/Commands/Health/SelfTestText.swift": ["clock"],
    ]

    @Test func `no other file writes an operation's name`() throws {
        let text = try Repository.text(Self.table + "OperationName.swift")
        let names = Set(text.matches(of: /case (\w+)(?: = "([\w-]+)")?/).map { String($0.2 ?? $0.1) })
        #expect(names.count > 30 && Self.common.isSubset(of: names))
        var found: [String: Set<String>] = [:]
        for file in try Repository.files(below: "Sources") where file.hasSuffix(".swift") && !file.hasPrefix(Self.table)
        {
            let isWay = Self.ways.contains { file.hasPrefix($0) }
            let watched = isWay ? names : names.subtracting(Self.common)
            for line in try Repository.text(file).split(separator: "\n") {
                guard !line.trimmingPrefix(while: { $0 == " " }).hasPrefix("//") else { continue }
                let words = line.matches(of: /"([a-z-]+)"/).map { String($0.1) }
                found[file, default: []].formUnion(watched.intersection(words))
            }
        }
        for (file, words) in found where words != Self.others[file] ?? [] {
            Issue.record("\(file) writes \(words.sorted()): use OperationName")
        }
        #expect(Set(Self.others.keys).isSubset(of: found.keys))
    }
}
