// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The table of docs/core-bluetooth.md")
struct CoreBluetoothTableTests {
    private struct Row {
        let number: Int
        let status: String
        let meaning: String
        let tests: [String]
        /// Why there is no test.
        let reason: String?
    }

    private let document: String
    private let rows: [Row]

    init() throws {
        document = try Repository.text("docs/core-bluetooth.md")
        rows = document.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 7, let number = Int(cells[1]) else { return nil }
            let reason = cells[5].firstMatch(of: /^none: (.+)$/).map { String($0.1) }
            return Row(
                number: number, status: cells[3], meaning: cells[4], tests: reason == nil ? Self.quoted(cells[5]) : [],
                reason: reason)
        }
    }

    private static func quoted(_ text: some StringProtocol) -> [String] {
        String(text).matches(of: /`([^`]+)`/).map { String($0.1) }
    }

    @Test("every row is there once, in order")
    func numbers() {
        #expect(rows.map(\.number) == Array(1...75))
    }

    @Test("every row has a status, and a test or a reason")
    func complete() {
        for row in rows {
            #expect(["same", "nearest", "iOS only"].contains(row.status), "row \(row.number)")
            #expect(row.tests.isEmpty == (row.reason != nil), "row \(row.number)")
            #expect(row.reason == nil || row.status == "iOS only", "row \(row.number)")
            #expect(!row.meaning.isEmpty || row.status == "same", "row \(row.number)")
        }
    }

    /// A statement of the second table: its words, its tests, or the reason for having none.
    private struct Statement {
        let words: String
        let tests: [String]
        let reason: String?
    }

    private func statements() throws -> [Statement] {
        let parts = document.components(separatedBy: "\n## What Apple's documents say\n")
        try #require(parts.count == 2)
        return parts[1].split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 4, cells[1] != "---", cells[1] != "the documents say" else { return nil }
            let reason = cells[2].firstMatch(of: /^none: (.+)$/).map { String($0.1) }
            return Statement(
                words: cells[1], tests: reason == nil ? Self.quoted(cells[2]) : [], reason: reason)
        }
    }

    /// Swift tests by their sentences, interoperability tests by module and function.
    private func testNames() throws -> Set<String> {
        var names: Set<String> = []
        for file in try Repository.files(below: "Tests") {
            let module = URL(filePath: file).deletingPathExtension().lastPathComponent
            if file.hasSuffix(".swift") {
                names.formUnion(try Repository.text(file).matches(of: /func `([^`]+)`/).map { String($0.1) })
            } else if file.hasPrefix("Tests/Scenes/Interop/"), file.hasSuffix(".py") {
                for match in try Repository.text(file).matches(of: /\ndef ([a-z_]+)\(bench\)/) {
                    names.insert("\(module).\(match.1)")
                }
            }
        }
        return names
    }

    @Test("every statement of the documents is there once, with a test or a reason")
    func statementsAreComplete() throws {
        let statements = try statements()
        #expect(statements.count >= 70)
        #expect(Set(statements.map(\.words)).count == statements.count)
        for statement in statements {
            #expect(statement.tests.isEmpty == (statement.reason != nil), "\(statement.words)")
        }
    }

    @Test("every test in a row exists")
    func testsExist() throws {
        let names = try testNames()
        for row in rows {
            for test in row.tests { #expect(names.contains(test), "row \(row.number) names «\(test)»") }
        }
        for statement in try statements() {
            for test in statement.tests { #expect(names.contains(test), "«\(statement.words)» names «\(test)»") }
        }
        // The tests named in the text between the tables.
        for match in document.matches(of: /\((?:shown by )?`([^`]+ [^`]+)`\)/) {
            #expect(names.contains(String(match.1)), "«\(match.1)»")
        }
    }

    @Test("every error code is in its table", arguments: ["CBError": 0...18, "CBATTError": 0x00...0x11])
    func errors(name: String, codes: ClosedRange<Int>) throws {
        let file = name == "CBError" ? "CBError" : "CBATTError+Code"
        let source = try Repository.source(file, below: "Sources/CoreBluetooth")
        // The cases of the second have the numbers of their places.
        let declared =
            name == "CBError"
            ? source.matches(of: /case ([A-Za-z]+) = ([0-9]+)\n/).map { ($0.1, Int($0.2)) }
            : source.matches(of: /\n +case ([A-Za-z]+)\n/).enumerated().map { ($1.1, Optional($0)) }
        #expect(declared.map(\.1) == Array(codes))
        let table = try #require(document.split(separator: "\n| `\(name)` |").last?.split(separator: "\n\n").first)
        for (code, value) in declared {
            let number = try #require(value)
            let hexadecimal = "0x" + (number < 16 ? "0" : "") + String(number, radix: 16).uppercased()
            let text = name == "CBError" ? "\(number)" : hexadecimal
            #expect(table.contains("\n| `\(code)` | \(text) | "), "\(code)")
        }
    }
}
