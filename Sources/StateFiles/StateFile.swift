// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Files that are either as before or wholly written, whatever happens in between. All that the gateway keeps beside its journal
/// is written here.
package enum StateFile {
    /// The end of a file's name while it is written.
    package static let unfinished = ".new"

    /// Writes beside the file, waits for the disk, and puts the new file in its place.
    ///
    /// - Parameters:
    ///   - directory: The folder of the file; it has to be there.
    ///   - mode: The rights of the file; nil: its owner alone reads it.
    package static func replace(
        _ path: String, with data: Data, in directory: String, mode: mode_t? = nil,
        on files: any StateFileSystem = DiskFileSystem()
    ) throws(StateFileError) {
        let temporary = path + unfinished
        // Left over from a write that a power cut ended.
        try files.remove(temporary)
        let descriptor = try files.create(temporary)
        do throws(StateFileError) {
            defer { files.close(descriptor) }
            if let mode { try files.setMode(mode, of: descriptor) }
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
        _ path: String, in directory: String, on files: any StateFileSystem = DiskFileSystem()
    ) throws(StateFileError) {
        try files.remove(path)
        try files.remove(path + unfinished)
        try files.synchronize(directory: directory)
    }

    /// Makes a folder, which nobody else may look into, and those above it where they are not there. True when others
    /// could look into it until now.
    @discardableResult
    package static func makeDirectory(
        _ path: String, on files: any StateFileSystem = DiskFileSystem()
    ) throws(StateFileError) -> Bool {
        let parent = parent(of: path)
        do throws(StateFileError) {
            return try makeOne(path, in: parent, on: files)
        } catch {
            guard error.code == ENOENT, let parent else { throw error }
            try makeDirectory(parent, on: files)
            return try makeOne(path, in: parent, on: files)
        }
    }

    private static func makeOne(
        _ path: String, in parent: String?, on files: any StateFileSystem
    ) throws(StateFileError) -> Bool {
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
