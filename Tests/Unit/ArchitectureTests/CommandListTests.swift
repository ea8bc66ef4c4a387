// SPDX-License-Identifier: Apache-2.0

import TestMaterials
import Testing

/// The list of the program's commands is made from the commands' files.
struct CommandListTests {
    static let list = "Sources/martlet/Commands/CommandList.swift"
    private static let mark = "    static let all: [any ListedCommand.Type] = [\n"

    @Test func `the list has each command of the first level`() throws {
        var names: [String] = []
        for file in try Repository.files(below: "Sources/martlet") where file.hasSuffix(".swift") {
            names += try Repository.text(file).matches(of: /(?m)^struct (\w+): ListedCommand\b/).map { String($0.1) }
        }
        #expect(names.count > 25)
        let list = names.sorted().map { "        \($0).self,\n" }.joined() + "    ]\n}\n"
        #expect(
            try MadeFile.holds(list, at: Self.list, from: Self.mark), "MARTLET_WRITE=1 make unit TEST=CommandListTests")
    }
}
