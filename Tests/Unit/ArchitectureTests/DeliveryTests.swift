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
        var promises = 0
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
            promises += 1
            let names = last.matches(of: /`([^`]+)`/).map { String($0.1) }
            #expect(!names.isEmpty, "\(line)")
            for name in names {
                let tests = try Repository.code(below: "Tests", with: ["\"\(name)\"", "func `\(name)`"])
                #expect(runs.contains(name) || !tests.isEmpty, "there is no test «\(name)»")
            }
        }
        #expect(promises >= 30)
    }
}
