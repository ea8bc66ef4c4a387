// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The checkout of this repository on disk, as tests read its documents and data.
package enum Checkout {
    /// The folder of Package.swift, found from this file's own place.
    package static let root: URL = {
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while folder.pathComponents.count > 1, !isRoot(folder) { folder.deleteLastPathComponent() }
        return folder
    }()

    /// - Parameter path: From the root, such as `docs/sensors.md`.
    package static func url(_ path: String) -> URL { root.appending(path: path) }

    package static func text(_ path: String) throws -> String {
        try String(contentsOf: url(path), encoding: .utf8)
    }

    private static func isRoot(_ folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
    }
}
