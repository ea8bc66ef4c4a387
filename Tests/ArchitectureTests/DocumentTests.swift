// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The links of all documents, and the names in the pages for contributors: each leads to something that is there.
@Suite("Documents and their names")
struct DocumentTests {
    private static let documents: [String] = {
        let files = ["docs", "board", "Tests"].flatMap { (try? Repository.files(below: $0)) ?? [] }
        return ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + files.filter { $0.hasSuffix(".md") }
    }()
    private static let recipes = documents.filter { $0.hasPrefix("docs/contributing/") }

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: Repository.root.appending(path: path).path)
    }

    /// A document without its blocks of code.
    private static func prose(of document: String) throws -> String {
        var isCode = false
        let lines = try Repository.text(document).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.filter { line in
            let isFence = line.trimmingPrefix(while: { $0 == " " }).hasPrefix("```")
            if isFence { isCode.toggle() }
            return !isFence && !isCode
        }.joined(separator: "\n")
    }

    @Test("the documents are found")
    func found() {
        #expect(Self.documents.count > 40)
        #expect(Self.recipes.count >= 8)
    }

    @Test("every link of a document leads to a file of the repository", arguments: documents)
    func links(document: String) throws {
        let folder = document.split(separator: "/").dropLast().joined(separator: "/")
        for match in try Self.prose(of: document).matches(of: /\]\(([^()\s#]+)[^()]*\)/) {
            let link = String(match.1)
            guard !link.contains(":") else { continue }
            #expect(Self.exists(folder.isEmpty ? link : "\(folder)/\(link)"), "\(link)")
        }
    }

    /// A path with `<`, `…` or `*` in it is no path of a file.
    @Test("every path of a page for contributors is there", arguments: recipes)
    func paths(recipe: String) throws {
        let text = try Self.prose(of: recipe)
        for match in text.matches(of: /`((?:Sources|Tests|docs|board)\/[^`<>…*\s]+)`/) {
            #expect(Self.exists(String(match.1)), "\(match.1)")
        }
    }

    /// An item that begins with a file and a word of it: `` 1. `Sources/…/File.swift`, `static let all` ``.
    @Test("the word that a step names is in its file", arguments: recipes)
    func words(recipe: String) throws {
        for line in try Self.prose(of: recipe).split(separator: "\n") {
            guard let match = line.firstMatch(of: /^[0-9]+\. `([^`<]+\.[a-z]+)`, `([^`]+)`/) else { continue }
            let text = try Repository.text(String(match.1))
            #expect(text.contains(String(match.2)), "\(match.1): \(match.2)")
        }
    }

    @Test("each call of make is of a target, a module and tests that are there", arguments: recipes)
    func calls(recipe: String) throws {
        let makefile = try Repository.text("Makefile")
        let tests = try Repository.files(below: "Tests")
        for line in try Repository.text(recipe).split(separator: "\n") {
            for match in line.matches(of: /\bmake ([a-z][a-z-]+)(?: ([A-Z]+)='?([A-Za-z|]+)'?)?/) {
                #expect(makefile.contains("\n\(match.1):"), "make \(match.1)")
                guard let variable = match.2, let value = match.3 else { continue }
                for name in value.split(separator: "|") where variable == "TEST" {
                    #expect(tests.contains { $0.contains(name) }, "TEST=\(name)")
                }
                if variable == "MODULE" { #expect(Self.exists("Tests/\(value)Tests"), "MODULE=\(value)") }
            }
        }
    }
}
