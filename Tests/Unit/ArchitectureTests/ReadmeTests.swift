// SPDX-License-Identifier: Apache-2.0

import Testing

struct ReadmeTests {
    /// Tests/Support/CoreBluetoothPrograms/ReadmeExamples.swift is compiled like an application.
    @Test func `every example of the README is compiled`() throws {
        let compiled = try Repository.text("Tests/Support/CoreBluetoothPrograms/ReadmeExamples.swift")
        let lines = Set(compiled.split(separator: "\n").map { $0.trimmingPrefix(while: { $0 == " " }) })
        let examples = try Repository.text("README.md").matches(of: /```swift\n(?<code>(?:(?!```)[\s\S])*)```/)
            .map(\.code).filter { $0.contains("CB") }
        #expect(examples.count >= 2)
        for line in examples.flatMap({ $0.split(separator: "\n") }) {
            #expect(lines.contains(line.trimmingPrefix(while: { $0 == " " })), "«\(line)» is not compiled")
        }
    }
}
