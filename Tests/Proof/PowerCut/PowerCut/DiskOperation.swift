// SPDX-License-Identifier: Apache-2.0

/// An operation on the file system. Names of files are relative to the recorded folder, whose own name is empty.
package enum DiskOperation: Equatable, Sendable {
    /// Opens a file, and makes it if it does not exist.
    case open(String)
    case write(String, offset: Int, octets: [UInt8])
    case truncate(String, size: Int)
    case sync(String)
    /// Makes the names in a folder durable: new files and deleted files.
    case syncFolder(String)
    case delete(String)
    case rename(String, to: String)
    case makeFolder(String)

    /// The changed or synced file.
    package var file: String? {
        switch self {
        case .open(let file), .write(let file, _, _), .truncate(let file, _), .sync(let file), .delete(let file): file
        case .syncFolder, .rename, .makeFolder: nil
        }
    }
}
