// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The vocabulary of docs/logs.md")
struct LogVocabularyTests {
    /// Keys of the table, each with its number of rows.
    private static func documented() throws -> [String: Int] {
        let table = try Repository.text("docs/logs.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
        let cells = table.compactMap { $0.split(separator: "|").first }
        let keys = cells.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } }
        return keys.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Keys of log lines in the sources, each with one of its files.
    private static func used() throws -> [String: String] {
        var found: [String: String] = [:]
        for file in try Repository.files(below: "Sources") where file.hasSuffix(".swift") {
            let text = try Repository.text(file)
            guard text.contains("import Logging\n") else { continue }
            let keys =
                text.matches(of: /"([a-z][a-zA-Z0-9_.]*)": "\\\(/).map(\.1)
                + text.matches(of: /\b(?:all|metadata)\["([^"]+)"\]/).map(\.1)
                + text.matches(of: /metadataKey: "([^"]+)"/).map(\.1)
            for key in keys { found[String(key)] = file }
        }
        return found
    }

    @Test("every key of a log line is in the table")
    func complete() throws {
        let (documented, used) = try (Self.documented(), Self.used())
        #expect(used.count > 80)
        for (key, file) in used { #expect(documented[key] != nil, "\(key), as in \(file)") }
    }

    @Test("every key in the table is used, and stands there once")
    func used() throws {
        let used = try Self.used()
        for (key, count) in try Self.documented() {
            #expect(used[key] != nil, "\(key) is used nowhere")
            #expect(count == 1, "\(key) stands there \(count) times")
        }
    }

    @Test("a sensor, its peer and the end of its link have the same keys in the host and in the collector")
    func joined() throws {
        let host = try Repository.text("Sources/BluetoothHost/Links/LinkLog.swift")
        let collector = try ["Collector+Events", "LinkedSensor"].map {
            try Repository.source($0, below: "Sources/Collector")
        }.joined()
        for key in ["peer", "link", "reason", "ended.by"] {
            #expect(host.contains("\"\(key)\"") && collector.contains("\"\(key)\""), "\(key)")
        }
    }
}
