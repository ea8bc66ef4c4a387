// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import StateFiles

/// The disk operations for the gateway's own configuration. A test can cut the power between any two of them.
package protocol ConfigurationDisk: Sendable {
    /// Makes a folder for its owner only. An existing folder is no error.
    func makeFolder(_ path: String) throws(StateFileError)
    /// Empty if there is no folder.
    func names(in folder: String) throws(StateFileError) -> [String]
    /// At most `limit` octets; nil when there is no file.
    func read(_ path: String, limit: Int) throws(StateFileError) -> [UInt8]?
    /// Writes a file for its owner alone, as ``StateFile/replace(_:with:in:mode:on:)`` does.
    func replace(_ path: String, with octets: [UInt8], in folder: String) throws(StateFileError)
    /// Gives a file another name, as ``StateFile/move(_:to:on:)`` does.
    func move(_ path: String, to other: String) throws(StateFileError)
    /// Waits until the folder's entries are on disk.
    func synchronize(folder: String) throws(StateFileError)
    /// A missing file counts as removed.
    func remove(_ path: String) throws(StateFileError)
    /// Removes a file, or a folder and its content.
    func removeAll(_ path: String) throws(StateFileError)
}

/// The machine's disk.
package struct SystemConfigurationDisk: ConfigurationDisk {
    private let files = DiskFileSystem()

    package init() {}

    package func makeFolder(_ path: String) throws(StateFileError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Self.failure("mkdir") }
    }

    package func names(in folder: String) throws(StateFileError) -> [String] {
        guard let directory = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw Self.failure("open folder")
        }
        closedir(directory)
        return (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    package func read(_ path: String, limit: Int) throws(StateFileError) -> [UInt8]? {
        // O_NONBLOCK: the path may be a pipe.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw Self.failure("open")
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw Self.failure("stat") }
        guard information.st_mode & S_IFMT == S_IFREG else { throw StateFileError(step: "stat", code: EINVAL) }
        var octets: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while octets.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("read") }
            guard count > 0 else { return octets }
            octets += buffer[..<count]
        }
        throw StateFileError(step: "read", code: EFBIG)
    }

    package func replace(_ path: String, with octets: [UInt8], in folder: String) throws(StateFileError) {
        try StateFile.replace(path, with: Data(octets), in: folder, on: files)
    }

    package func move(_ path: String, to other: String) throws(StateFileError) {
        try StateFile.move(path, to: other, on: files)
    }

    package func synchronize(folder: String) throws(StateFileError) {
        try files.synchronize(directory: folder)
    }

    package func remove(_ path: String) throws(StateFileError) {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else { throw Self.failure("unlink") }
    }

    package func removeAll(_ path: String) throws(StateFileError) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch CocoaError.fileNoSuchFile {
            return
        } catch {
            throw StateFileError(step: "remove folder", code: access(path, F_OK) == 0 ? EIO : ENOENT)
        }
    }

    /// Reads errno.
    private static func failure(_ step: String) -> StateFileError {
        StateFileError(step: step, code: errno)
    }
}
