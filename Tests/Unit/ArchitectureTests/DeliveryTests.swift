// SPDX-License-Identifier: Apache-2.0

import Testing

struct DeliveryTests {
    /// docs/delivery.md: each row of a table ends with its tests.
    @Test func `every promise about delivery names tests, and these exist`() throws {
        let programs = try Repository.files(below: "Tests/Scenes/Interop").filter { $0.hasSuffix(".py") }
        let runs = try programs.flatMap { file in
            let module = file.split(separator: "/").last?.dropLast(".py".count) ?? ""
            return try Repository.text(file).matches(of: /\ndef ([a-z_]+)\(bench\)/).map { "\(module).\($0.1)" }
        }
        var promises: [[String]] = []
        var isTableOfPromises = false
        for line in try Repository.text("docs/delivery.md").split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("|") else {
                isTableOfPromises = false
                continue
            }
            guard !line.contains("---") else { continue }
            let cells = line.split(separator: "|")
            guard let last = cells.last, cells.first != " promise " else {
                isTableOfPromises = true
                continue
            }
            guard isTableOfPromises else { continue }
            let names = last.matches(of: /`([^`]+)`/).map { String($0.1) }
            #expect(!names.isEmpty, "\(line)")
            promises.append(names)
        }
        #expect(promises.count >= 30)
        let names = Set(promises.joined()).subtracting(runs)
        let words = names.flatMap { ["\"\($0)\"", "func `\($0)`"] }
        let tests = try Repository.code(below: "Tests", with: words).map(\.line).joined(separator: "\n")
        for name in names {
            let isThere = tests.contains("\"\(name)\"") || tests.contains("func `\(name)`")
            #expect(isThere, "there is no test «\(name)»")
        }
    }
}
