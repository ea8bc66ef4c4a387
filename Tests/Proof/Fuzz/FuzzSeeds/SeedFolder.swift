// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder for inputs of the fuzz targets, which tests record: a folder for each target, a file for each input.
package struct SeedFolder: Sendable {
    /// The folder in the variable `MARTLET_SEEDS`; without the variable tests write nothing.
    package static let current = ProcessInfo.processInfo.environment["MARTLET_SEEDS"].map {
        SeedFolder(URL(filePath: $0))
    }

    /// Maximum of files for one target.
    private static let capacity = 2_048
    /// Maximum of files for one target from one test.
    package static let share = 16

    private let url: URL

    private init(_ url: URL) { self.url = url }

    /// Writes equal inputs of different tests once. A failed write fails no test.
    package func write(_ octets: [UInt8], for target: String) {
        let folder = url.appending(path: target)
        let file = folder.appending(path: "test-" + String(Self.digest(octets), radix: 16))
        let files = FileManager.default
        guard !octets.isEmpty, !files.fileExists(atPath: file.path) else { return }
        try? files.createDirectory(at: folder, withIntermediateDirectories: true)
        guard (try? files.contentsOfDirectory(atPath: folder.path).count) ?? 0 < Self.capacity else { return }
        try? Data(octets).write(to: file, options: .atomic)
    }

    /// FNV-1a: tells inputs apart, no more.
    private static func digest(_ octets: [UInt8]) -> UInt64 {
        octets.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
