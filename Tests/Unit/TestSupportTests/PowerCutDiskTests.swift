// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

struct PowerCutDiskTests {
    private func contents(of disk: PowerCutDisk, _ path: String) -> Set<[UInt8]?> {
        Set(disk.disksAfterPowerCut().map { $0.read(path) })
    }

    @Test func `what was not waited for may be there in any part, or not at all`() throws {
        let disk = PowerCutDisk(hasFolders: true)
        #expect(try disk.makeFolder("/a") && !disk.makeFolder("/a"))
        try disk.synchronize(folder: "/")
        let file = try disk.create("/a/b", isExclusive: true)
        try disk.append([1, 2], to: file)
        #expect(contents(of: disk, "/a/b") == [nil, [], [1], [1, 2], [0, 0]])
        try disk.synchronize(file: file)
        #expect(contents(of: disk, "/a/b") == [nil, [1, 2]])
        try disk.synchronize(folder: "/a")
        #expect(contents(of: disk, "/a/b") == [[1, 2]])
        try disk.rename("/a/b", to: "/a/c")
        #expect(disk.names(in: "/a") == ["c"])
        #expect(Set(disk.disksAfterPowerCut().map(\.files)) == [["/a/b"], ["/a/c"]])
    }

    @Test func `a folder whose name is lost takes with it all that is in it`() throws {
        let disk = PowerCutDisk(hasFolders: true)
        _ = try disk.makeFolder("/a")
        try disk.synchronize(file: try disk.create("/a/b", isExclusive: true))
        try disk.synchronize(folder: "/a")
        #expect(Set(disk.disksAfterPowerCut().map(\.files)) == [[], ["/a/b"]])
    }

    @Test func `without power no step is done`() throws {
        let disk = PowerCutDisk(hasFolders: false)
        disk.put([7], at: "/x/y")
        disk.endPower(after: 1)
        try disk.remove("/x/y")
        let error = #expect(throws: PowerCutDisk.Failure.self) { try disk.synchronize(folder: "/x") }
        #expect(error?.code == EIO && disk.steps == 1)
        #expect(contents(of: disk, "/x/y") == [nil, [7]])
    }
}
