// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Files of the repository")
struct FileTests {
    @Test("every source file says its licence on top")
    func licence() throws {
        let kinds = [".swift", ".c", ".h", ".py", ".sh"]
        let files = try Repository.files().filter { file in
            kinds.contains { file.hasSuffix($0) } || ["Makefile", ".ci/run"].contains(file)
                || file.hasPrefix("Tests/Rig/kernel/")
        }
        #expect(files.count > 50)
        for file in files {
            let top = try Repository.text(file).split(separator: "\n").prefix(2).joined()
            #expect(top.contains("SPDX-License-Identifier: Apache-2.0"), "\(file)")
        }
    }

    @Test("no source file is too long to read as a whole")
    func length() throws {
        // Files made by protoc, and of the families in Sources/Readings/Sensors, may be long.
        let files = try Repository.files(below: "Sources").filter {
            $0.hasSuffix(".swift") && !$0.hasSuffix(".pb.swift") && !$0.hasPrefix("Sources/Readings/Described/")
        }
        #expect(files.count > 400)
        for file in files {
            #expect(try Repository.text(file).count { $0 == "\n" } <= 400, "\(file)")
        }
    }

    @Test("no file names a folder beside the repository")
    func selfContained() throws {
        let text = Data(["..", "shared"].joined(separator: "/").utf8)
        for file in try Repository.files() {
            #expect(try Repository.data(file).range(of: text) == nil, "\(file)")
        }
    }

    @Test(
        "relative links of the documents lead to files",
        arguments: try Repository.files().filter { $0.hasSuffix(".md") })
    func links(document: String) throws {
        let folder = Repository.root.appending(path: document).deletingLastPathComponent()
        for match in try Repository.text(document).matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/) {
            let target = folder.appending(path: String(match.1))
            #expect(FileManager.default.fileExists(atPath: target.path), "\(document) links to \(match.1)")
        }
    }
}
