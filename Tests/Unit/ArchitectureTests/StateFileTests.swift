// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// One place writes all state files: it waits for the disk, and survives power cuts.
struct StateFileTests {
    /// Files with their own waits for the disk, each with its reason.
    private static let others = [
        "Sources/martlet/Commands/Buffer/BufferCommand+Rows.swift": "an export to a place that the operator chose",
        "Sources/Journal/File/FolderOperations.swift": "the journal's folder beside SQLite's own files",
        "Sources/NetworkControl/Manager/RadioCountry.swift": "files that NetworkManager has written",
    ]

    @Test func `no other file writes a draft or waits for the disk`() throws {
        var found: Set<String> = []
        for file in try Repository.files(below: "Sources") where file.hasSuffix(".swift") {
            guard !file.hasPrefix("Sources/StateFiles/"), try Repository.text(file).contains(/\bfsync\(|\.atomic\b/)
            else { continue }
            found.insert(file)
        }
        #expect(found == Set(Self.others.keys), "use StateFile")
        #expect(try Repository.text("Sources/StateFiles/StateFileSystem.swift").contains("fsync("))
    }
}
