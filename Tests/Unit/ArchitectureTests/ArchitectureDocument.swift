// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The promises of docs/architecture.md: the drawing of the house, the table of targets, and the ways of readings.
struct ArchitectureDocument {
    struct Target {
        var name: String
        /// The package's targets that the target depends on.
        var targets: Set<String>
        /// Packages and system modules that the target's files may also import.
        var modules: Set<String>
    }

    /// A numbered item that begins with a file and a function: `` 1. `Sources/…/File.swift`, `function(of:)` ``.
    struct Stop: Hashable, CustomStringConvertible {
        var file: String
        var function: String

        var description: String { "\(file) \(function)" }
        /// The name without its labels.
        var name: String { String(function.prefix { $0 != "(" }) }
    }

    /// The first block of the document, without its fences.
    var drawing: Substring
    var targets: [Target] = []
    /// The stops of each way, by the heading above them.
    var ways: [String: [Stop]] = [:]

    init() throws {
        let text = try Repository.text("docs/architecture.md")
        drawing = text.firstMatch(of: /```\n((?:(?!```)[\s\S])*)```/)?.1 ?? ""
        var heading = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("## ") { heading = String(line.dropFirst(3)) }
            if let target = Self.target(line) { targets.append(target) }
            if let match = line.firstMatch(of: /^[0-9]+\. `([^`]+\.swift)`, `([^`]+)`/) {
                ways[heading, default: []].append(Stop(file: String(match.1), function: String(match.2)))
            }
        }
    }

    /// A row of four columns that begins with a target: name, content, targets, packages and modules.
    private static func target(_ line: Substring) -> Target? {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        guard cells.count == 6, let name = quoted(cells[1]).first, quoted(cells[1]).count == 1 else { return nil }
        return Target(name: name, targets: Set(quoted(cells[3])), modules: Set(quoted(cells[4])))
    }

    private static func quoted(_ cell: Substring) -> [String] {
        cell.matches(of: /`([^`]+)`/).map { String($0.1) }
    }
}
