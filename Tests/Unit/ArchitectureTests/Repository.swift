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

    /// The text of the file of this name, wherever it stands below `folder`.
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
}
