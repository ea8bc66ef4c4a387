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
        "log", "history", "window", "check", "label", "support", "scan",
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
        "Sources/martlet/Commands/Configure/ConfigureEvent.swift": [
            "status", "log", "identify", "factory-reset", "window",
        ],
        "Sources/martlet/Demonstration/ProvisionDemonstration.swift": ["provision"],
        // Keys of the phone's values.
        "Sources/Provisioning/Client/ProvisioningClient+Settings.swift": ["identify"],
        "Sources/Provisioning/Service/ProvisioningService+Lines.swift": ["scan", "status"],
        "Sources/Provisioning/Service/ProvisioningService+Writes.swift": ["label", "passkey"],
        // Keys of the configuration, arguments, labels of the log, folders and parts of a test.
        "Sources/Gateway/GatewayService.swift": ["clock", "settings"],
        "Sources/Gateway/Backup/StateInventory.swift": ["factory-reset"],
        // A verb of the program, in a module below the operations.
        "Sources/Health/Advice/AdvisedCommand.swift": ["check-config"],
        "Sources/Health/Advice/MachineDeed.swift": ["restart"],
        "Sources/StateFiles/StateFileSystem.swift": ["rename"],
        "Sources/Gateway/Operations/FactoryReset.swift": ["bonds", "support"],
        "Sources/Gateway/Operations/GatewayOperator+Sensors.swift": ["label", "passkey"],
        // An option of a verb, and a verb without a gateway.
        "Sources/martlet/Commands/Health/SensorText.swift": ["label"],
        "Sources/martlet/Commands/Sensors/RenameCommand.swift": ["label"],
        "Sources/martlet/Commands/Sensors/ScanCommand.swift": ["scan"],
        "Sources/martlet/Commands/Health/SelfTestText.swift": ["clock"],
    ]

    /// Names of the release before, which the table has as aliases.
    private static func aliases() throws -> Set<String> {
        var found: Set<String> = []
        for file in try Repository.files(below: Self.table) {
            let text = try Repository.text(file)
            found.formUnion(text.matches(of: /\.init\("([\w\/-]+)", \[\./).map { String($0.1) })
            found.formUnion(text.matches(of: /former\("([\w-]+)"/).map { String($0.1) })
        }
        return found
    }

    /// The names in a line: as a text, or as a path of the page or a topic of the broker.
    private static func words(in line: Substring) -> [String] {
        line.matches(of: /"(?:\/?api\/|cmd\/)?([a-z-]+(?:\/[a-z]+)?)"/).map { String($0.1) }
    }

    @Test(arguments: [
        (#"case "accept":"#, "accept"), (#"ask("/api/accept")"#, "accept"), (#"topic + "cmd/accept""#, "accept"),
        (#"path == "/api/settings/apply""#, "settings/apply"),
    ])
    func `the test finds a name`(line: String, name: String) {
        #expect(Self.words(in: line[...]) == [name])
    }

    @Test func `no other file writes an operation's name`() throws {
        let text = try Repository.text(Self.table + "OperationName.swift")
        let present = Set(text.matches(of: /case (\w+)(?: = "([\w-]+)")?/).map { String($0.2 ?? $0.1) })
        let former = try Self.aliases()
        let names = present.union(former)
        #expect(present.count > 30 && Self.common.isSubset(of: names))
        #expect(former.isSuperset(of: ["scan", "history", "window", "settings/apply", "history-pause"]))
        var found: [String: Set<String>] = [:]
        for file in try Repository.files(below: "Sources") where file.hasSuffix(".swift") && !file.hasPrefix(Self.table)
        {
            let isWay = Self.ways.contains { file.hasPrefix($0) }
            let watched = isWay ? names : names.subtracting(Self.common)
            for line in try Repository.text(file).split(separator: "\n") {
                guard !line.trimmingPrefix(while: { $0 == " " }).hasPrefix("//") else { continue }
                found[file, default: []].formUnion(watched.intersection(Self.words(in: line)))
            }
        }
        for (file, words) in found where words != Self.others[file] ?? [] {
            Issue.record("\(file) writes \(words.sorted()): use OperationName")
        }
        #expect(Set(Self.others.keys).isSubset(of: found.keys))
    }
}
