// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestMaterials

/// The repository of these tests, read from disk.
enum Repository {
    static let root = Checkout.root

    static func text(_ path: String) throws -> String { try Checkout.text(path) }

    static func data(_ path: String) throws -> Data {
        try Data(contentsOf: root.appending(path: path))
    }

    /// The text of the file of this name, anywhere below `folder`.
    static func source(_ name: String, below folder: String) throws -> String {
        let found = try files(below: folder).filter { $0.hasSuffix("/\(name).swift") }
        guard let path = found.first, found.count == 1 else { throw CocoaError(.fileNoSuchFile) }
        return try text(path)
    }

    /// Paths, from the root, of the files below `folder`, sorted; built and downloaded files are left out.
    static func files(below folder: String = "") throws -> [String] {
        let generated: Set<String> = [".git", ".build", ".rig", ".swiftpm", "api", "__pycache__"]
        var found: [String] = []
        var folders = [folder]
        while let folder = folders.popLast() {
            let content = try FileManager.default.contentsOfDirectory(
                at: root.appending(path: folder), includingPropertiesForKeys: [.isDirectoryKey])
            for entry in content where !generated.contains(entry.lastPathComponent) {
                let path = folder.isEmpty ? entry.lastPathComponent : "\(folder)/\(entry.lastPathComponent)"
                let isFolder = try entry.resourceValues(forKeys: [.isDirectoryKey]).isDirectory ?? false
                if isFolder { folders.append(path) } else { found.append(path) }
            }
        }
        return found.sorted()
    }

    /// Lines with one of `words` in the Swift files below `folder`, without leading spaces and without comments. A regular
    /// expression takes a hundred times as long for a line as this search.
    static func code(below folder: String, with words: [String]) throws -> [(file: String, line: Substring)] {
        var found: [(file: String, line: Substring)] = []
        for file in try files(below: folder) where file.hasSuffix(".swift") {
            let lines = try text(file).withCString { text in Set(words.flatMap { Self.lines(in: text, with: $0) }) }
            for line in lines.sorted() {
                let code = line.code.trimmingPrefix { $0 == " " }
                if !code.hasPrefix("//") { found.append((file, code)) }
            }
        }
        return found
    }

    private struct Line: Hashable, Comparable {
        let offset: Int
        let code: String

        static func < (one: Line, other: Line) -> Bool { one.offset < other.offset }
    }

    private static func lines(in text: UnsafePointer<CChar>, with word: String) -> [Line] {
        let end = CChar(0x0A)
        var found: [Line] = []
        var place = text
        while let hit = strstr(place, word) {
            var first = UnsafePointer(hit)
            while first > text, first[-1] != end { first -= 1 }
            let length = strcspn(first, "\n")
            let octets = UnsafeRawBufferPointer(start: first, count: length)
            found.append(Line(offset: first - text, code: String(decoding: octets, as: UTF8.self)))
            place = first + length
        }
        return found
    }
}
