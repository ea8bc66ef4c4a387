// SPDX-License-Identifier: Apache-2.0

/// What was asked of the file system. Files are named from the recorded folder on, which itself is the empty name.
package enum DiskOperation: Equatable, Sendable {
    /// Opens a file, and makes it when there is none.
    case open(String)
    case write(String, offset: Int, octets: [UInt8])
    case truncate(String, size: Int)
    case sync(String)
    /// Makes the names of a folder durable: files that were made, files that were deleted.
    case syncFolder(String)
    case delete(String)
    case rename(String, to: String)
    case makeFolder(String)

    /// The file that is changed or synced.
    package var file: String? {
        switch self {
        case .open(let file), .write(let file, _, _), .truncate(let file, _), .sync(let file), .delete(let file): file
        case .syncFolder, .rename, .makeFolder: nil
        }
    }
}
