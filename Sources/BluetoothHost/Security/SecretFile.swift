// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// What went wrong with a file of secrets; never what is in it.
package struct SecretFileError: Error, CustomStringConvertible {
    package let step: String
    package let code: Int32

    package var description: String { "\(step): \(String(cString: strerror(code)))" }
}

/// Files that only their owner reads, and that are either as before or wholly written, whatever happens in between.
package enum SecretFile {
    /// Writes beside the file, waits for the disk, and puts the new file in its place.
    package static func replace(_ path: String, with data: Data, in directory: String) throws(SecretFileError) {
        let temporary = path + ".new"
        // Left over from a write that a power cut ended.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SecretFileError(step: "open", code: errno) }
        do throws(SecretFileError) {
            defer { close(descriptor) }
            try writeAll(data, to: descriptor)
            guard fsync(descriptor) == 0 else { throw SecretFileError(step: "fsync", code: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, path) == 0 else { throw SecretFileError(step: "rename", code: errno) }
        try synchronize(directory: directory)
    }

    package static func remove(_ path: String, in directory: String) throws(SecretFileError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SecretFileError(step: "unlink", code: errno) }
        try synchronize(directory: directory)
    }

    /// Makes the directory, which nobody else may look into.
    package static func makeDirectory(_ path: String) throws(SecretFileError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SecretFileError(step: "mkdir", code: errno)
        }
        guard chmod(path, 0o700) == 0 else { throw SecretFileError(step: "chmod", code: errno) }
    }

    private static func writeAll(_ data: Data, to descriptor: Int32) throws(SecretFileError) {
        var failure: Int32 = 0
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else { throw SecretFileError(step: "write", code: failure) }
    }

    private static func synchronize(directory: String) throws(SecretFileError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SecretFileError(step: "open directory", code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SecretFileError(step: "fsync directory", code: errno) }
    }
}
