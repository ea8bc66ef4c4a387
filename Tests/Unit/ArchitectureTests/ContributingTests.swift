// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The pages of docs/contributing: every named file and word exists.
@Suite("Pages for contributors")
struct ContributingTests {
    private static let pages = (try? Repository.files(below: "docs/contributing").filter { $0.hasSuffix(".md") }) ?? []

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: Repository.root.appending(path: path).path)
    }

    /// A page without its blocks of code.
    private static func prose(of page: String) throws -> String {
        var isCode = false
        let lines = try Repository.text(page).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.filter { line in
            let isFence = line.trimmingPrefix(while: { $0 == " " }).hasPrefix("```")
            if isFence { isCode.toggle() }
            return !isFence && !isCode
        }.joined(separator: "\n")
    }

    @Test("CONTRIBUTING.md lists every page")
    func list() throws {
        let text = try Repository.text("CONTRIBUTING.md")
        #expect(Self.pages.count >= 8)
        for page in Self.pages { #expect(text.contains("(\(page))"), "\(page)") }
    }

    /// A name with `<`, `…` or `*` is no path of a file.
    @Test("every path is there", arguments: pages)
    func paths(page: String) throws {
        for match in try Self.prose(of: page).matches(of: /`((?:Sources|Tests|docs|board)\/[^`<>…*\s]+)`/) {
            #expect(Self.exists(String(match.1)), "\(match.1)")
        }
    }

    /// An item that begins with a file and a word of the file: `` 1. `Sources/…/File.swift`, `static let all` ``.
    @Test("the word in a step is in its file", arguments: pages)
    func words(page: String) throws {
        for line in try Self.prose(of: page).split(separator: "\n") {
            guard let match = line.firstMatch(of: /^[0-9]+\. `([^`<]+\.[a-z]+)`, `([^`]+)`/) else { continue }
            let text = try Repository.text(String(match.1))
            #expect(text.contains(String(match.2)), "\(match.1): \(match.2)")
        }
    }

    @Test("each call of make has an existing target, module and tests", arguments: pages)
    func calls(page: String) throws {
        let makefile = try Repository.text("Makefile")
        let tests = try Repository.files(below: "Tests")
        for line in try Repository.text(page).split(separator: "\n") {
            for match in line.matches(of: /\bmake ([a-z][a-z-]+)(?: ([A-Z]+)='?([A-Za-z|]+)'?)?/) {
                #expect(makefile.contains("\n\(match.1):"), "make \(match.1)")
                guard let variable = match.2, let value = match.3 else { continue }
                if variable == "MODULE" { #expect(Self.exists("Tests/Unit/\(value)Tests"), "MODULE=\(value)") }
                for name in value.split(separator: "|") where variable == "TEST" {
                    #expect(tests.contains { $0.contains(name) }, "TEST=\(name)")
                }
            }
        }
    }
}
