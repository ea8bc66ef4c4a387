// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Files that only their owner reads, and that are either as before or wholly written, whatever happens in between.
package enum SecretFile {
    /// What a file is called while it is written.
    package static let unfinished = ".new"

    /// Writes beside the file, waits for the disk, and puts the new file in its place.
    package static func replace(
        _ path: String, with data: Data, in directory: String, on files: any SecretFileSystem = DiskFileSystem()
    ) throws(SecretFileError) {
        let temporary = path + unfinished
        // Left over from a write that a power cut ended.
        try files.remove(temporary)
        let descriptor = try files.create(temporary)
        do throws(SecretFileError) {
            defer { files.close(descriptor) }
            try files.write(Array(data), to: descriptor)
            try files.synchronize(descriptor)
        } catch {
            try? files.remove(temporary)
            throw error
        }
        try files.rename(temporary, to: path)
        try files.synchronize(directory: directory)
    }

    /// Removes the file, and what a power cut may have left of one that was to take its place.
    package static func remove(
        _ path: String, in directory: String, on files: any SecretFileSystem = DiskFileSystem()
    ) throws(SecretFileError) {
        try files.remove(path)
        try files.remove(path + unfinished)
        try files.synchronize(directory: directory)
    }

    /// Makes a folder, which nobody else may look into, and those above it where they are not there. True when others
    /// could look into it until now.
    @discardableResult
    package static func makeDirectory(
        _ path: String, on files: any SecretFileSystem = DiskFileSystem()
    ) throws(SecretFileError) -> Bool {
        let parent = parent(of: path)
        do throws(SecretFileError) {
            return try makeOne(path, in: parent, on: files)
        } catch {
            guard error.code == ENOENT, let parent else { throw error }
            try makeDirectory(parent, on: files)
            return try makeOne(path, in: parent, on: files)
        }
    }

    private static func makeOne(
        _ path: String, in parent: String?, on files: any SecretFileSystem
    ) throws(SecretFileError) -> Bool {
        let (isNew, wasWidened) = try files.makeDirectory(path)
        // What is in a folder is no safer than its name.
        if isNew { try files.synchronize(directory: parent ?? ".") }
        return wasWidened
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
