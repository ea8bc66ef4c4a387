// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import Platform

@Suite("The owners of a path, and root's rights there", .serialized, .enabled(if: geteuid() == 0))
final class PathOwnerTests {
    private static let user: uid_t = 65_534
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "martlet-owner-\(UUID().uuidString)"
        for name in ["roots/inner", "theirs/roots", "far"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(name)", withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755])
        }
        try link("link-to-theirs", "theirs")
        try link("roots/relative", "../theirs/roots")
        try link("circle", "circle")
        // Theirs leads to a folder of root's.
        try link("theirs/out", "\(folder)/far")
        try link("by-way-of-theirs", "\(folder)/theirs/out")
        for name in ["theirs", "theirs/out"] { lchown("\(folder)/\(name)", Self.user, Self.user) }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func link(_ name: String, _ target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: target)
    }

    @Test(
        arguments: [
            ("roots/inner", false), ("roots", false), ("circle", false), ("nowhere", false), ("far", false),
            ("theirs", true), ("theirs/roots", true), ("theirs/./roots", true), ("theirs/nowhere", true),
            ("link-to-theirs", true), ("link-to-theirs/roots", true), ("roots/relative", true), ("theirs/out", true),
            ("by-way-of-theirs", true), ("roots/../theirs", true), ("theirs/../roots", true),
        ])
    func `a path is theirs if any folder or link on the way is`(path: String, isTheirs: Bool) {
        #expect((PathOwner(of: "\(folder)/\(path)") != nil) == isTheirs)
        #expect(PathOwner(of: "\(folder)/\(path)")?.user == (isTheirs ? Self.user : nil))
    }

    @Test func `root has their rights for as long as the work takes, also where it fails`() throws {
        struct Trouble: Error {}
        let secret = "\(folder)/secret"
        try Data("root's own".utf8).write(to: URL(fileURLWithPath: secret))
        chmod(secret, 0o600)
        try link("theirs/link", secret)
        let groups = getgroups(0, nil)
        #expect(throws: Trouble.self) {
            try PathOwner.run(at: "\(folder)/theirs") {
                #expect((geteuid(), getegid()) == (Self.user, Self.user))
                #expect(open("\(folder)/theirs/link", O_RDONLY) == -1)
                // A nested call changes nothing.
                try PathOwner.run(at: folder) { #expect(geteuid() == Self.user) }
                throw Trouble()
            }
        }
        #expect((geteuid(), getegid(), getgroups(0, nil)) == (0, 0, groups))
        #expect(FileManager.default.contents(atPath: "\(folder)/theirs/link") == Data("root's own".utf8))
        try PathOwner.run(at: "\(folder)/roots") { #expect(geteuid() == 0) }
    }

    @Test func `of a user whom nobody has named root takes the group, and no other`() throws {
        let (path, nameless) = ("\(folder)/nameless", uid_t(54_321))
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        chown(path, nameless, nameless)
        try PathOwner.run(at: path) {
            var groups = [gid_t](repeating: 0, count: 64)
            let count = getgroups(Int32(groups.count), &groups)
            #expect((geteuid(), getegid(), Array(groups.prefix(Int(count)))) == (nameless, nameless, [nameless]))
        }
        #expect((geteuid(), getegid()) == (0, 0))
    }
}
