// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The cost of a new operation: the files with the name of an operation. docs/contributing/add-a-command.md has the steps.
struct OperationCostTests {
    /// Files of Sources: the row with its name, the work, the verb. The list of commands is made from these files.
    private static let sources = 3
    /// The files of Sources and the tests. The line of CHANGELOG.md is one more.
    private static let whole = 5

    /// Names of operations in Swift. Each operation has a verb of its own.
    private static let samples = ["acknowledge", "forget", "trust"]
    /// Parts with another reason to name a sample: advice, and the owner's phone.
    private static let others: Set<String> = [
        "Sources/OperationNames/OperationName+Advised.swift", "Sources/Health/Advice/AdvisedCommand.swift",
        "Sources/Provisioning/Service/ProvisioningService+Writes.swift",
    ]

    /// The files of `folder` with an operation's name, as a member of the table or of the names, or with its command.
    private static func files(naming name: String, below folder: String) throws -> Set<String> {
        let command = name.prefix(1).uppercased() + name.dropFirst() + "Command"
        let words = [
            "OperationTable.\(name)", "OperationName.\(name)", "static let \(name) = Self(",
            "static let \(name) = operation(", "(.\(name), \"", command,
        ]
        var found: Set<String> = []
        for (file, line) in try Repository.code(below: folder, with: words) {
            let isNamed = words.contains { word in
                guard let place = line.range(of: word) else { return false }
                // A longer word is another name.
                let around = [line[..<place.lowerBound].last, line[place.upperBound...].first]
                return !around.contains { $0.map { $0.isLetter || $0.isNumber } ?? false } || word.hasSuffix("\"")
            }
            if isNamed { found.insert(file) }
        }
        return found
    }

    @Test(arguments: samples)
    func `an operation is a row, a work and a verb, and its name is in few files`(name: String) throws {
        let list = try Repository.text(CommandListTests.list)
        #expect(list.contains("Made from the files of the commands"))
        let sources = try Self.files(naming: name, below: "Sources")
            .subtracting(Self.others).subtracting([CommandListTests.list])
        #expect(
            sources.contains { $0.hasPrefix("Sources/Operations/OperationTable+") }
                && sources.contains { $0.hasPrefix("Sources/Gateway/Operations/OperationWorks+") }
                && sources.contains { $0.hasPrefix("Sources/martlet/Commands/") })
        #expect(sources.count <= Self.sources, "\(name): \(sources.sorted())")
        // A test of rights lists what a broker's clients may have.
        #expect(sources.count + 2 <= Self.whole)
    }

    @Test func `the page for contributors has as many steps`() throws {
        let page = try Repository.text("docs/contributing/add-a-command.md")
        let steps = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix("The files") })
        let files = steps.matches(of: /(?m)^[0-9]+\. `([^`]+)`/).map { String($0.1) }
        #expect(files.count { $0.hasPrefix("Sources/") } <= Self.sources, "\(files)")
        #expect(files.count <= Self.whole + 1, "\(files)")
    }
}
