// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder that its owner's end removes.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        // Short, because a socket's path has 107 octets at most.
        path = "/tmp/martlet-test-\(UInt32.random(in: .min ... .max))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(_ name: String) -> String { path + "/" + name }

    func write(_ name: String, _ text: String) throws {
        let url = URL(fileURLWithPath: path(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }
}
