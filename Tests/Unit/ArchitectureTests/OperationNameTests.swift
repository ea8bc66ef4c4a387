// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Names of operations stand in their table alone. The page's scripts are in another language: `OperationTableTests` checks that they ask
/// only for the page's rows.
struct OperationNameTests {
    private static let table = "Sources/Operations/"
    private static let advised = "Sources/OperationNames/"
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
        // What is done to the machine, and a report.
        "Sources/Health/Advice/MachineDeed.swift": ["restart"],
        "Sources/Replay/ReplayReport.swift": ["restart"],
        // The page's events.
        "Sources/Page/EventFeed.swift": ["status", "update", "window"],
        "Sources/StateFiles/StateFileSystem.swift": ["rename"],
        "Sources/Gateway/Operations/FactoryReset.swift": ["bonds", "support"],
        "Sources/Gateway/Operations/GatewayOperator+Sensors.swift": ["label", "passkey"],
        // An option of a verb, and a verb without a gateway.
        "Sources/martlet/Commands/Health/SensorText.swift": ["label"],
        "Sources/martlet/Commands/Sensors/RenameCommand.swift": ["label"],
        "Sources/martlet/Commands/Sensors/ScanCommand.swift": ["scan"],
        "Sources/martlet/Commands/Health/SelfTestText.swift": ["clock"],
    ]

    /// The names of rows in the files of the table.
    private static func names(in text: String) -> [String] {
        let groups = text.matches(of: /static let (\w+) = "([a-z]+)"/).map { (String($0.1), String($0.2)) }
        let words = Dictionary(groups) { $1 }
        let whole = text.matches(of: /static let \w+ = Self\((?:"([a-z-]+)"|(\w+))(?:, of: (\w+))?\)/)
        return whole.compactMap { match in
            guard let word = match.1.map(String.init) ?? match.2.flatMap({ words[String($0)] }) else { return nil }
            return (match.3.flatMap { words[String($0)] }.map { $0 + "-" } ?? "") + word
        }
    }

    @Test func `the test finds the names of rows`() {
        let text = """
                package static let buffer = "buffer"
                package static let clockGroup = "clock"
                package static let forget = Self("forget")
                package static let checkConfig = Self("check-config")
                package static let bufferPause = Self("pause", of: buffer)
                package static let clock = Self(clockGroup)
                private static let sensor = Argument("sensor")
            """
        #expect(Self.names(in: text) == ["forget", "check-config", "buffer-pause", "clock"])
    }

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

    /// The raw values of an enum of texts without a literal: the names of its cases.
    private static func implicitValues(in text: String) -> Set<String> {
        var values: Set<String> = []
        var depth = 0
        /// How deep the cases of the open enums are.
        var enums: [Int] = []
        for line in text.split(separator: "\n") {
            let code = line.prefix { $0 != "\"" }.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
            if let found = code.firstMatch(of: /\benum \w+: *(?:[^{]*[ ,])?(?:String|CodingKey)\b/) {
                enums.append(depth + code[..<found.range.lowerBound].count { $0 == "{" } + 1)
            }
            if enums.last == depth, let cases = code.firstMatch(of: /^ *case (.+)$/)?.1 {
                for part in cases.split(separator: ",") where !part.contains("=") && !part.contains("(") {
                    values.insert(part.filter { $0 != "`" && $0 != " " })
                }
            }
            for character in code {
                if character == "{" { depth += 1 }
                if character == "}" { depth -= 1 }
            }
            while let last = enums.last, depth < last { enums.removeLast() }
        }
        return values
    }

    @Test func `the test finds the names that an enum of texts has without writing them`() {
        let text = """
            enum Verb: String, CaseIterable {
                case accept, `repeat`
                case why  // a remark
                case check = "check-config", rename
                var isShort: Bool {
                    switch self {
                    case .forget: true
                    case trust: false
                    }
                }
                enum Inner { case unpair }
            }
            enum Plain { case forget }
            struct Keys { private enum CodingKeys: String, CodingKey { 
                case restart
            } }
            """
        #expect(Self.implicitValues(in: text) == ["accept", "repeat", "why", "rename", "restart"])
    }

    /// The names of today.
    private static func present() throws -> Set<String> {
        let files = try Repository.files(below: Self.table) + Repository.files(below: Self.advised)
        return Set(names(in: try files.map { try Repository.text($0) }.joined()))
    }

    @Test func `each name has its row, which docs/operations.md has, too`() throws {
        let lines = try Repository.text("docs/operations.md").split(separator: "\n")
        let rows = lines.filter { $0.hasPrefix("| `") && $0.count { $0 == "|" } == 11 }
        let names = rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        let present = try Self.present()
        #expect(names.count == Set(names).count && Set(names) == present)
    }

    @Test func `no other file writes an operation's name`() throws {
        let present = try Self.present()
        let former = try Self.aliases()
        let names = present.union(former)
        #expect(present.count > 30 && Self.common.isSubset(of: names))
        #expect(former.isSuperset(of: ["scan", "history", "window", "settings/apply", "history-pause"]))
        var found: [String: Set<String>] = [:]
        for file in try Repository.files(below: "Sources")
        where file.hasSuffix(".swift") && !file.hasPrefix(Self.table) && !file.hasPrefix(Self.advised) {
            let isWay = Self.ways.contains { file.hasPrefix($0) }
            let watched = isWay ? names : names.subtracting(Self.common)
            found[file] = []
            let code = try Repository.text(file)
            guard code.contains("enum ") else { continue }
            found[file, default: []].formUnion(watched.intersection(Self.implicitValues(in: code)))
        }
        for (file, line) in try Repository.code(below: "Sources", with: names.flatMap { ["\"\($0)\"", "/\($0)\""] }) {
            guard found[file] != nil else { continue }
            let watched = Self.ways.contains { file.hasPrefix($0) } ? names : names.subtracting(Self.common)
            found[file, default: []].formUnion(watched.intersection(Self.words(in: line)))
        }
        for (file, words) in found where words != Self.others[file] ?? [] {
            Issue.record("\(file) writes \(words.sorted()): use OperationName")
        }
        #expect(Set(Self.others.keys).isSubset(of: found.keys))
    }
}
