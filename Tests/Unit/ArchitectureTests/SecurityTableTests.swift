// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// "Statements and their tests" of docs/security.md.
@Suite("The statements of docs/security.md")
struct SecurityTableTests {
    private struct Statement {
        let words: String
        let tests: [String]
        let hasReason: Bool
    }

    private let statements: [Statement]

    init() throws {
        let document = try Repository.text("docs/security.md")
        let parts = document.components(separatedBy: "\n## Statements and their tests\n")
        let section = try #require(parts.dropFirst().first?.components(separatedBy: "\n## ").first)
        statements = section.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 4, cells[1] != "---", cells[1] != "statement" else { return nil }
            return Statement(
                words: cells[1], tests: cells[2].matches(of: /`([^`]+)`/).map { String($0.1) },
                hasReason: cells[2].hasPrefix("none: "))
        }
    }

    @Test("every statement is there once, with a test or a reason for having none") func complete() {
        #expect(statements.count >= 140)
        #expect(Set(statements.map(\.words)).count == statements.count)
        for statement in statements {
            #expect(!statement.tests.isEmpty || statement.hasReason, "\(statement.words)")
        }
        #expect(statements.count(where: \.hasReason) <= 4, "a promise without a test")
    }

    private struct Attack: Decodable {
        let row: Int
    }

    /// The sentences of Swift tests.
    private static func sentences() throws -> Set<String> {
        var names: Set<String> = []
        for file in try Repository.files(below: "Tests") where file.hasSuffix(".swift") {
            let text = try Repository.text(file)
            names.formUnion(text.matches(of: /func `([^`]+)`/).map { String($0.1) })
            names.formUnion(text.matches(of: /@Test\(\s*"([^"]+)"/).map { String($0.1) })
        }
        return names
    }

    @Test("every test of a statement exists") func tests() throws {
        let sentences = try Self.sentences()
        let attacks = Set(
            try JSONDecoder().decode([Attack].self, from: Repository.data("docs/attacks.json")).map(\.row))
        for statement in statements {
            for test in statement.tests {
                if let attack = test.wholeMatch(of: /attack (\d+)/) {
                    #expect(Int(attack.1).map(attacks.contains) == true, "«\(statement.words)» names \(test)")
                } else if let script = test.wholeMatch(of: /(Tests\/[^ ]+): (.+)/) {
                    let text = (try? Repository.text(String(script.1))) ?? ""
                    #expect(text.contains(script.2), "«\(statement.words)» names \(test)")
                } else {
                    #expect(sentences.contains(test), "«\(statement.words)» names «\(test)»")
                }
            }
        }
    }
}
