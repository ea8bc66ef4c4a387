// SPDX-License-Identifier: Apache-2.0

import Foundation
import StateFiles
import Synchronization
import Testing

/// The order of the steps of a change of files, and the bound of a read file.
struct StateFileStepTests {
    /// Notes the steps, and has no files.
    private final class NotedSteps: StateFileSystem {
        private let noted = Mutex<[String]>([])

        var steps: [String] { noted.withLock { $0 } }
        private func record(_ step: String) { noted.withLock { $0.append(step) } }

        func makeDirectory(_ path: String) throws(StateFileError) -> (isNew: Bool, wasWidened: Bool) {
            record("make \(path)")
            return (true, false)
        }
        func synchronize(directory: String) throws(StateFileError) { record("names of \(directory)") }
        func names(in directory: String) throws(StateFileError) -> [String] { [] }
        func create(_ path: String) throws(StateFileError) -> Int32 {
            record("create \(path)")
            return 1
        }
        func write(_ octets: [UInt8], to descriptor: Int32) throws(StateFileError) { record("write \(octets.count)") }
        func synchronize(_ descriptor: Int32) throws(StateFileError) { record("content") }
        func close(_ descriptor: Int32) {}
        func rename(_ path: String, to other: String) throws(StateFileError) { record("rename \(path) to \(other)") }
        func remove(_ path: String) throws(StateFileError) { record("remove \(path)") }
        func read(_ path: String, limit: Int) throws(StateFileError) -> (octets: [UInt8], wasWidened: Bool)? { nil }
    }

    @Test func `a move between folders waits for the new folder's names, then for the old one's`() throws {
        let steps = NotedSteps()
        try StateFile.move("/a/x", to: "/b/y", on: steps)
        #expect(steps.steps == ["rename /a/x to /b/y", "names of /b", "names of /a"])
    }

    @Test func `a move within a folder waits once`() throws {
        for (path, other, folder) in [("/a/x", "/a/y", "/a"), ("/x", "/y", "/"), ("x", "y", ".")] {
            let steps = NotedSteps()
            try StateFile.move(path, to: other, on: steps)
            #expect(steps.steps == ["rename \(path) to \(other)", "names of \(folder)"])
        }
    }

    @Test func `a file is on disk before its name is, and what was left of a write goes with the file`() throws {
        let steps = NotedSteps()
        try StateFile.replace("/a/x", with: Data([1, 2]), in: "/a", on: steps)
        #expect(
            steps.steps == [
                "remove /a/x.new", "create /a/x.new", "write 2", "content", "rename /a/x.new to /a/x", "names of /a",
            ])
        let removal = NotedSteps()
        try StateFile.remove("/a/x", in: "/a", on: removal)
        #expect(removal.steps == ["remove /a/x", "remove /a/x.new", "names of /a"])
    }

    @Test func `a file as long as the bound is read, and one of an octet more is refused`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("x").path
        let octets = [UInt8](repeating: 7, count: 5_000)
        try StateFile.replace(path, with: Data(octets), in: folder.path)
        for limit in [5_000, 5_001] { #expect(try DiskFileSystem().read(path, limit: limit)?.octets == octets) }
        #expect(throws: StateFileError(step: "read", code: EFBIG)) {
            _ = try DiskFileSystem().read(path, limit: 4_999)
        }
    }
}
