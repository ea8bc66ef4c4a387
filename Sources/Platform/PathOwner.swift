// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The user who may change the file at a path. Root works at the path with the rights of that user. A link, a pipe or
/// another file in place of the expected file then gives nothing that the user does not have anyway.
///
/// For programs of one purpose that root runs: the rights of the whole process change during the work.
package struct PathOwner: Equatable, Sendable {
    /// The rights cannot be taken, as in a container without CAP_SETUID.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let user: uid_t
    package let group: gid_t
    /// Links that may lead on from one path to another; the kernel follows no more than 40.
    private static let maximumLinks = 40

    /// Nil if root owns all folders and links on the way, or if the path does not exist.
    package init?(of path: String) {
        var (rest, links) = (Self.parts(of: path)[...], 0)
        var place = ""
        if !path.hasPrefix("/") {
            guard let folder = getcwd(nil, 0) else { return nil }
            defer { free(folder) }
            rest = Self.parts(of: String(cString: folder))[...] + rest
        }
        while let part = rest.popFirst() {
            let next = place + "/" + part
            var information = stat()
            guard lstat(next, &information) == 0 else { return nil }
            guard information.st_uid == 0 else {
                (user, group) = (information.st_uid, information.st_gid)
                return
            }
            guard information.st_mode & S_IFMT == S_IFLNK else {
                place = next
                continue
            }
            guard links < Self.maximumLinks, let target = Self.target(of: next) else { return nil }
            links += 1
            if target.hasPrefix("/") { place = "" }
            rest = (Self.parts(of: target) + rest)[...]
        }
        return nil
    }

    /// Works with files below a path. Root works with the rights of the user that may change the path. Any other user,
    /// and root at a path of its own, keeps its rights.
    ///
    /// - Throws: ``Failure`` before any work was done, and the errors of `body`.
    package static func run<Result>(at path: String, _ body: () throws -> Result) throws -> Result {
        guard geteuid() == 0, let owner = PathOwner(of: path) else { return try body() }
        let former = try owner.acquire()
        defer { Self.giveBack(former) }
        return try body()
    }

    private struct Rights {
        var group: gid_t
        var groups: [gid_t]
    }

    private func acquire() throws -> Rights {
        let count = getgroups(0, nil)
        var groups = [gid_t](repeating: 0, count: Int(max(count, 0)))
        guard count >= 0, getgroups(count, &groups) == count else { throw failure() }
        let former = Rights(group: getegid(), groups: groups)
        // Includes the user's other groups, which may give the right to read a file of secrets.
        let isInGroups =
            getpwuid(user).map { initgroups($0.pointee.pw_name, group) == 0 } ?? (setgroups(1, [group]) == 0)
        guard isInGroups, setegid(group) == 0, seteuid(user) == 0 else {
            let failure = failure()
            Self.giveBack(former)
            throw failure
        }
        return former
    }

    private static func giveBack(_ former: Rights) {
        guard geteuid() == 0 || seteuid(0) == 0, setegid(former.group) == 0,
            setgroups(former.groups.count, former.groups) == 0 || errno == EPERM
        else { exit(EXIT_FAILURE) }  // The process must not go on with half of the rights.
    }

    /// Reads errno.
    private func failure() -> Failure {
        Failure(description: "the rights of user \(user) cannot be taken: \(String(cString: strerror(errno)))")
    }

    private static func parts(of path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.map(String.init)
    }

    private static func target(of link: String) -> String? {
        var octets = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = octets.withUnsafeMutableBytes { octets in
            octets.baseAddress.map { readlink(link, $0, octets.count) } ?? -1
        }
        guard count > 0, count < octets.count else { return nil }
        return String(decoding: octets[..<count], as: UTF8.self)
    }
}
