// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where tests write down what they send, as inputs of the fuzz targets: a folder a target, a file an input.
package struct SeedFolder: Sendable {
    /// The one that the variable `MARTLET_SEEDS` names; without it tests write nothing.
    package static let current = ProcessInfo.processInfo.environment["MARTLET_SEEDS"].map {
        SeedFolder(URL(filePath: $0))
    }

    /// Files of one target.
    private static let capacity = 2_048
    /// Files of one target that one test writes.
    package static let share = 16

    private let url: URL

    private init(_ url: URL) { self.url = url }

    /// The same input is written once, whoever has sent it. What cannot be written is no test's failure.
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
