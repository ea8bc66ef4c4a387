// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// What went wrong with a file that the gateway writes; never what is in it.
package struct ConfigurationDiskError: Error, Equatable, Sendable, CustomStringConvertible {
    package let step: String
    package let code: Int32

    package init(step: String, code: Int32) {
        self.step = step
        self.code = code
    }

    package var description: String { "\(step): \(String(cString: strerror(code)))" }
}

/// The steps by which the gateway keeps its own configuration, so that a test can cut the power between any two.
package protocol ConfigurationDisk: Sendable {
    /// Makes a folder for its owner only; one that is there is as good.
    func makeFolder(_ path: String) throws(ConfigurationDiskError)
    /// Nothing where there is no folder.
    func names(in folder: String) throws(ConfigurationDiskError) -> [String]
    /// At most `limit` octets; nil when there is no file.
    func read(_ path: String, limit: Int) throws(ConfigurationDiskError) -> [UInt8]?
    /// Makes a file that only its owner reads; takes the place of one that is there.
    func write(_ octets: [UInt8], to path: String) throws(ConfigurationDiskError)
    /// Waits until what was written is on disk.
    func synchronize(_ path: String) throws(ConfigurationDiskError)
    /// Waits until what a folder names is on disk.
    func synchronize(folder: String) throws(ConfigurationDiskError)
    func rename(_ path: String, to other: String) throws(ConfigurationDiskError)
    /// A file that is not there is as good as removed.
    func remove(_ path: String) throws(ConfigurationDiskError)
    /// Removes a file, or a folder with all that is in it.
    func removeAll(_ path: String) throws(ConfigurationDiskError)
}

/// The machine's own.
package struct SystemConfigurationDisk: ConfigurationDisk {
    package init() {}

    package func makeFolder(_ path: String) throws(ConfigurationDiskError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Self.failure("mkdir") }
    }

    package func names(in folder: String) throws(ConfigurationDiskError) -> [String] {
        guard let directory = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw Self.failure("open folder")
        }
        closedir(directory)
        return (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    package func read(_ path: String, limit: Int) throws(ConfigurationDiskError) -> [UInt8]? {
        // Without waiting: it may be a pipe that somebody has put there.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw Self.failure("open")
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw Self.failure("stat") }
        guard information.st_mode & S_IFMT == S_IFREG else { throw ConfigurationDiskError(step: "stat", code: EINVAL) }
        var octets: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while octets.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("read") }
            guard count > 0 else { return octets }
            octets += buffer[..<count]
        }
        throw ConfigurationDiskError(step: "read", code: EFBIG)
    }

    package func write(_ octets: [UInt8], to path: String) throws(ConfigurationDiskError) {
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("open") }
        defer { close(descriptor) }
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                throw ConfigurationDiskError(step: "write", code: count == 0 ? EIO : errno)
            }
        }
    }

    package func synchronize(_ path: String) throws(ConfigurationDiskError) {
        try synchronize(path, flags: O_RDONLY | O_CLOEXEC, "fsync")
    }

    package func synchronize(folder: String) throws(ConfigurationDiskError) {
        try synchronize(folder, flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC, "fsync folder")
    }

    private func synchronize(_ path: String, flags: Int32, _ step: String) throws(ConfigurationDiskError) {
        let descriptor = open(path, flags)
        guard descriptor >= 0 else { throw Self.failure("open") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.failure(step) }
    }

    package func rename(_ path: String, to other: String) throws(ConfigurationDiskError) {
        guard Glibc.rename(path, other) == 0 else { throw Self.failure("rename") }
    }

    package func remove(_ path: String) throws(ConfigurationDiskError) {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else { throw Self.failure("unlink") }
    }

    package func removeAll(_ path: String) throws(ConfigurationDiskError) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch CocoaError.fileNoSuchFile {
            return
        } catch {
            throw ConfigurationDiskError(step: "remove folder", code: access(path, F_OK) == 0 ? EIO : ENOENT)
        }
    }

    /// Reads errno.
    private static func failure(_ step: String) -> ConfigurationDiskError {
        ConfigurationDiskError(step: step, code: errno)
    }
}
