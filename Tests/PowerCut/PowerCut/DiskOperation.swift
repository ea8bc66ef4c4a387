// SPDX-License-Identifier: Apache-2.0

/// What a database asked of the file system. Files are named without their folder.
package enum DiskOperation: Equatable, Sendable {
    /// Opens a file, and makes it when there is none.
    case open(String)
    case write(String, offset: Int, octets: [UInt8])
    case truncate(String, size: Int)
    case sync(String)
    /// Makes the names of the folder durable: files that were made, files that were deleted.
    case syncFolder
    case delete(String)

    /// The file that is changed or synced.
    package var file: String? {
        switch self {
        case .open(let file), .write(let file, _, _), .truncate(let file, _), .sync(let file), .delete(let file): file
        case .syncFolder: nil
        }
    }
}
