// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A failed step on a state file; never any of its content.
package struct StateFileError: Error, Equatable, CustomStringConvertible {
    package let step: String
    package let code: Int32

    package init(step: String, code: Int32) {
        self.step = step
        self.code = code
    }

    package var description: String { "\(step): \(String(cString: strerror(code)))" }
}

/// The steps that keep files, one system call each, so that a test can cut the power between any two steps.
package protocol StateFileSystem: Sendable {
    /// Makes one folder that only its owner can open; `isNew` is false if the folder exists. Refuses a symbolic link,
    /// and a folder of another user.
    func makeDirectory(_ path: String) throws(StateFileError) -> (isNew: Bool, wasWidened: Bool)
    /// Waits until the names in the folder are on disk.
    func synchronize(directory: String) throws(StateFileError)
    /// The names of the files and folders in a folder; none if the folder does not exist.
    func names(in directory: String) throws(StateFileError) -> [String]
    /// Makes a file that only its owner reads, and opens it. Refuses an existing file.
    func create(_ path: String) throws(StateFileError) -> Int32
    /// Sets the mode of an open file that other users may read.
    func setMode(_ mode: mode_t, of descriptor: Int32) throws(StateFileError)
    func write(_ octets: [UInt8], to descriptor: Int32) throws(StateFileError)
    /// Waits until the written octets are on disk.
    func synchronize(_ descriptor: Int32) throws(StateFileError)
    func close(_ descriptor: Int32)
    func rename(_ path: String, to other: String) throws(StateFileError)
    /// Removes a file; a missing file is no error.
    func remove(_ path: String) throws(StateFileError)
    /// Reads a file of at most `limit` octets; nil when the file does not exist. Refuses a symbolic link, a file of
    /// another user, and anything that is no regular file. `wasWidened`: other users could read the file until now.
    func read(_ path: String, limit: Int) throws(StateFileError) -> (octets: [UInt8], wasWidened: Bool)?
}

extension StateFileSystem {
    /// A test's disk has no file modes.
    package func setMode(_ mode: mode_t, of descriptor: Int32) throws(StateFileError) {}
}

/// The machine's own file system.
package struct DiskFileSystem: StateFileSystem {
    private static let othersBits: mode_t = 0o077

    package init() {}

    package func makeDirectory(_ path: String) throws(StateFileError) -> (isNew: Bool, wasWidened: Bool) {
        if mkdir(path, 0o700) == 0 { return (true, false) }
        guard errno == EEXIST else { throw StateFileError(step: "mkdir", code: errno) }
        // Links are not followed: a user who can put a link here could send our secrets to a place of his own.
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw StateFileError(step: "open folder", code: errno) }
        defer { _ = Glibc.close(descriptor) }
        return (false, try narrow(descriptor, to: 0o700))
    }

    package func synchronize(directory: String) throws(StateFileError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StateFileError(step: "open folder", code: errno) }
        defer { _ = Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StateFileError(step: "fsync folder", code: errno) }
    }

    package func names(in directory: String) throws(StateFileError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
        } catch CocoaError.fileReadNoSuchFile {
            return []
        } catch {
            throw StateFileError(
                step: "list folder", code: FileManager.default.fileExists(atPath: directory) ? EACCES : ENOENT)
        }
    }

    package func create(_ path: String) throws(StateFileError) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StateFileError(step: "open", code: errno) }
        return descriptor
    }

    package func setMode(_ mode: mode_t, of descriptor: Int32) throws(StateFileError) {
        guard fchmod(descriptor, mode) == 0 else { throw StateFileError(step: "chmod", code: errno) }
    }

    package func write(_ octets: [UInt8], to descriptor: Int32) throws(StateFileError) {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                throw StateFileError(step: "write", code: count == 0 ? EIO : errno)
            }
        }
    }

    package func synchronize(_ descriptor: Int32) throws(StateFileError) {
        guard fsync(descriptor) == 0 else { throw StateFileError(step: "fsync", code: errno) }
    }

    package func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    package func rename(_ path: String, to other: String) throws(StateFileError) {
        guard Glibc.rename(path, other) == 0 else { throw StateFileError(step: "rename", code: errno) }
    }

    package func remove(_ path: String) throws(StateFileError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw StateFileError(step: "unlink", code: errno) }
    }

    package func read(_ path: String, limit: Int) throws(StateFileError) -> (octets: [UInt8], wasWidened: Bool)? {
        // Opens without waiting: the path may be a pipe that another user has put there.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StateFileError(step: "open", code: errno)
        }
        defer { _ = Glibc.close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw StateFileError(step: "stat", code: errno) }
        guard information.st_mode & S_IFMT == S_IFREG else { throw StateFileError(step: "stat", code: EINVAL) }
        guard information.st_size <= limit else { throw StateFileError(step: "read", code: EFBIG) }
        let wasWidened = try narrow(descriptor, to: 0o600)
        var octets: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while octets.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StateFileError(step: "read", code: errno) }
            guard count > 0 else { return (octets, wasWidened) }
            octets += buffer[..<count]
        }
        throw StateFileError(step: "read", code: EFBIG)
    }

    /// Refuses a file of another user, and takes the rights of other users away; true if there were such rights.
    private func narrow(_ descriptor: Int32, to mode: mode_t) throws(StateFileError) -> Bool {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw StateFileError(step: "stat", code: errno) }
        guard information.st_uid == geteuid() else { throw StateFileError(step: "owner", code: EPERM) }
        guard information.st_mode & Self.othersBits != 0 else { return false }
        guard fchmod(descriptor, mode) == 0 else { throw StateFileError(step: "chmod", code: errno) }
        return true
    }
}
