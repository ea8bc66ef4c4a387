// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The folders of Tests: a layer each, as docs/testing.md lists them.
@Suite("Folders of the tests")
struct TestFolderTests {
    @Test("Tests has the folders of the document's table, and no others")
    func layers() throws {
        let parts = try Repository.text("docs/testing.md").components(separatedBy: "\n## Where a test stands\n")
        try #require(parts.count == 2)
        let rows = parts[1].prefix { $0 != "#" }.matches(of: /\n\| `([A-Za-z]+)` \|/)
        #expect(rows.map { String($0.1) } == ["Unit", "Scenes", "Proof", "System", "Rig", "Support"])
        let folders = Set(
            try Repository.files(below: "Tests").compactMap { file in
                let parts = file.split(separator: "/")
                return parts.count > 2 ? String(parts[1]) : nil
            })
        #expect(Set(rows.map { String($0.1) }) == folders)
    }

    /// A folder in Unit is the name of a target in Sources or in Tests, and the word Tests.
    @Test("Unit has a folder for a module")
    func modules() throws {
        let manifest = try Repository.text("Package.swift")
        let folders = Set(
            try Repository.files(below: "Tests/Unit").compactMap { $0.split(separator: "/").dropFirst(2).first })
        #expect(folders.count >= 25)
        for folder in folders where folder != "ArchitectureTests" {
            let module = try #require(folder.wholeMatch(of: /(\w+)Tests/)?.1, "\(folder)")
            #expect(manifest.contains("\"\(module)\""), "\(folder)")
        }
    }

    /// A name with `…`, `*`, `<`, `$` or `{` stands for several paths. The change log tells about files of its time.
    @Test("every path below Tests that a file of the repository names is there")
    func paths() throws {
        let kinds = [".md", ".swift", ".py", ".sh", ".toml", "Makefile", ".gitignore"]
        var named = 0
        for file in try Repository.files() where kinds.contains(where: file.hasSuffix) && file != "CHANGELOG.md" {
            let text = try Repository.text(file)
            for match in text.matches(of: /\bTests\/((?:[A-Z][A-Za-z-]*\/)*[A-Z][A-Za-z-]*)(?![A-Za-z-])/)
            where !match.1.hasSuffix("/SCENE") {
                named += 1
                let path = Repository.root.appending(path: "Tests/\(match.1)").path
                let isThere =
                    FileManager.default.fileExists(atPath: path)
                    || ["swift", "py", "sh", "md"].contains { FileManager.default.fileExists(atPath: "\(path).\($0)") }
                #expect(isThere, "\(file) names Tests/\(match.1)")
            }
        }
        #expect(named > 150)
    }
}
