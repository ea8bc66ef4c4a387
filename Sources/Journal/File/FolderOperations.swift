// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The journal's operations on file names, each with `errno` set when it fails. A value, so that a test can see their
/// order, and what a power cut between two operations leaves.
package struct FolderOperations: Sendable {
    /// Gives a file another name, in any folder.
    package var rename: @Sendable (String, String) -> Bool
    package var remove: @Sendable (String) -> Bool
    /// Makes a folder for its owner only; true also if the folder exists.
    package var makeFolder: @Sendable (String) -> Bool
    /// Makes the names in a folder durable.
    package var sync: @Sendable (String) -> Bool
    /// Operations on the content of the lock file, the only file that the journal writes by itself.
    package var lockFile: LockFileOperations

    package init(
        rename: @escaping @Sendable (String, String) -> Bool, remove: @escaping @Sendable (String) -> Bool,
        makeFolder: @escaping @Sendable (String) -> Bool, sync: @escaping @Sendable (String) -> Bool,
        lockFile: LockFileOperations = .system
    ) {
        self.rename = rename
        self.remove = remove
        self.makeFolder = makeFolder
        self.sync = sync
        self.lockFile = lockFile
    }

    package static let system = FolderOperations(
        rename: { Glibc.rename($0, $1) == 0 },
        remove: { unlink($0) == 0 },
        makeFolder: { mkdir($0, 0o700) == 0 || errno == EEXIST },
        sync: { path in
            let folder = open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { return false }
            defer { close(folder) }
            return fsync(folder) == 0
        })

    /// Makes a folder and its missing parents, and makes their names durable.
    func makeFolders(_ path: String) -> Bool {
        guard !path.isEmpty, path != "/", access(path, F_OK) != 0 else { return true }
        let parent = Self.folder(of: path)
        return makeFolders(parent) && makeFolder(path) && sync(parent)
    }

    static func folder(of path: String) -> String { (path as NSString).deletingLastPathComponent }
}
