// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file under way beside its place. ``seal()`` waits for the disk, ``keep()`` then puts the file in its place. A
/// failure, or a wish to stop, ends in ``discard()``; the place is unchanged until ``keep()``.
package struct StateFileDraft {
    /// The path during the write.
    package let path: String
    private let place: String
    private let directory: String
    private let descriptor: Int32
    private let files: any StateFileSystem
    private let isAmongOthers: Bool

    /// Makes a file that only its owner reads. Removes the remains of a write that a power cut ended.
    ///
    /// - Parameters:
    ///   - directory: The folder of the file; it must exist.
    ///   - ending: Behind the file's name during the write.
    package init(
        of place: String, in directory: String, ending: String = StateFile.unfinished,
        on files: any StateFileSystem = DiskFileSystem()
    ) throws(StateFileError) {
        path = place + ending
        (self.place, self.directory, self.files) = (place, directory, files)
        isAmongOthers = false
        try files.remove(path)
        descriptor = try files.create(path)
    }

    /// Makes a file that only its owner reads, in a folder with a person's own files. The name during the write is by chance, and
    /// an existing file of this name is an error: so the draft replaces no file of the person.
    ///
    /// - Parameter directory: The folder of the file; it must exist.
    package init(
        amongOthers place: String, in directory: String, chance: UInt64 = .random(in: 0 ... .max),
        on files: any StateFileSystem = DiskFileSystem()
    ) throws(StateFileError) {
        path = place + "." + String(chance, radix: 16) + StateFile.unfinished
        (self.place, self.directory, self.files) = (place, directory, files)
        isAmongOthers = true
        descriptor = try files.create(path)
    }

    package func setMode(_ mode: mode_t) throws(StateFileError) { try files.setMode(mode, of: descriptor) }

    package func write(_ octets: [UInt8]) throws(StateFileError) { try files.write(octets, to: descriptor) }

    /// Gives the file to the owner and the group of another file or folder. Only root can.
    package func setOwner(like other: String) throws(StateFileError) {
        var information = stat()
        guard geteuid() == 0, stat(other, &information) == 0 else { return }
        guard fchown(descriptor, information.st_uid, information.st_gid) == 0 else {
            throw StateFileError(step: "chown", code: errno)
        }
    }

    /// Waits until the content is on disk, and closes the file. A file that the disk does not take is removed.
    package func seal() throws(StateFileError) {
        do throws(StateFileError) {
            try files.synchronize(descriptor)
        } catch {
            discard()
            throw error
        }
        files.close(descriptor)
    }

    /// Puts the sealed file in its place, and waits until the name is on disk.
    package func keep() throws(StateFileError) {
        do throws(StateFileError) {
            try files.rename(path, to: place)
        } catch {
            // No later write has this name and removes the file.
            if isAmongOthers { try? files.remove(path) }
            throw error
        }
        try files.synchronize(directory: directory)
    }

    /// Removes a file that was not sealed.
    package func discard() {
        files.close(descriptor)
        try? files.remove(path)
    }
}
