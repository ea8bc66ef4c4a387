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

    /// Lines of the Swift files below `folder` that have one of `words`, without leading spaces; comments are left out. A regular
    /// expression takes a hundred times as long for a line as this search.
    static func code(below folder: String, with words: [String]) throws -> [(file: String, line: Substring)] {
        let wanted = words.map { Array($0.utf8) }
        var found: [(file: String, line: Substring)] = []
        for file in try files(below: folder) where file.hasSuffix(".swift") {
            let text = try data(file)
            let lines = text.withUnsafeBytes { octets in
                Set(wanted.flatMap { Self.lines(in: octets, with: $0) })
            }
            for line in lines.sorted(by: { $0.lowerBound < $1.lowerBound }) {
                let code = String(decoding: text[line], as: UTF8.self).trimmingPrefix { $0 == " " }
                if !code.hasPrefix("//") { found.append((file, code)) }
            }
        }
        return found
    }

    /// The places of the lines that have `word`.
    private static func lines(in octets: UnsafeRawBufferPointer, with word: [UInt8]) -> [Range<Int>] {
        guard let start = octets.baseAddress else { return [] }
        var found: [Range<Int>] = []
        var place = 0
        while let hit = memmem(start + place, octets.count - place, word, word.count) {
            let offset = UnsafeRawPointer(hit) - start
            let before = memrchr(start, 0x0A, offset).map { UnsafeRawPointer($0) - start + 1 } ?? 0
            let after = memchr(start + offset, 0x0A, octets.count - offset).map { UnsafeRawPointer($0) - start }
            found.append(before..<(after ?? octets.count))
            guard let after else { break }
            place = after
        }
        return found
    }
}
