// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Files that are either unchanged or wholly written, whatever happens in between. The gateway writes all its files
/// except the journal here.
package enum StateFile {
    /// The ending of a file's name during the write.
    package static let unfinished = ".new"

    /// Writes a new file beside the old, waits for the disk, and puts the new file in its place.
    ///
    /// - Parameters:
    ///   - directory: The folder of the file; it must exist.
    ///   - mode: The rights of the file; nil: only its owner reads it.
    package static func replace(
        _ path: String, with data: Data, in directory: String, mode: mode_t? = nil,
        on files: any StateFileSystem = DiskFileSystem()
    ) throws(StateFileError) {
        try finish(try StateFileDraft(of: path, in: directory, on: files), Array(data), mode: mode)
    }

    /// Like ``replace(_:with:in:mode:on:)``, in a folder with a person's own files. No other file of the person is replaced.
    ///
    /// - Parameter directory: The folder of the file; it must exist.
    package static func replace(
        amongOthers path: String, with octets: [UInt8], in directory: String,
        on files: any StateFileSystem = DiskFileSystem()
    ) throws(StateFileError) {
        try finish(try StateFileDraft(amongOthers: path, in: directory, on: files), octets)
    }

    private static func finish(
        _ draft: StateFileDraft, _ octets: [UInt8], mode: mode_t? = nil
    ) throws(StateFileError) {
        do throws(StateFileError) {
            if let mode { try draft.setMode(mode) }
            try draft.write(octets)
        } catch {
            draft.discard()
            throw error
        }
        try draft.seal()
        try draft.keep()
    }

    /// Gives a file or folder another name, and waits until both folders' names are on disk.
    package static func move(
        _ path: String, to other: String, on files: any StateFileSystem = DiskFileSystem()
    ) throws(StateFileError) {
        try files.rename(path, to: other)
        let (old, new) = (parent(of: path) ?? ".", parent(of: other) ?? ".")
        try files.synchronize(directory: new)
        // After a power cut in between, the disk may know the content by both names, or by the new name alone.
        if old != new { try files.synchronize(directory: old) }
    }

    /// Removes the file, and the remains of a write that a power cut ended.
    package static func remove(
        _ path: String, in directory: String, on files: any StateFileSystem = DiskFileSystem()
    ) throws(StateFileError) {
        try files.remove(path)
        try files.remove(path + unfinished)
        try files.synchronize(directory: directory)
    }

    /// Makes a folder that only its owner can open, and the missing folders above it. True if other users could open
    /// the folder until now.
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
        // The content of a folder is only safe once the folder's own name is on disk.
        if isNew { try files.synchronize(directory: parent ?? ".") }
        return wasWidened
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
