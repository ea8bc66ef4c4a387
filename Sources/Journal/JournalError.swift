// SPDX-License-Identifier: Apache-2.0

/// A fault of a journal's file.
package enum JournalError: Error, Equatable, Sendable {
    /// The folder or the file cannot be made or written.
    case unwritable(path: String, reason: String)
    /// The disk has no room.
    case full(path: String)
    /// The file was damaged, and its disk has no room for a copy of the readable rows.
    case noRoomForCopy(path: String, source: String, octets: Int)
    /// The file is no SQLite database, or its content is damaged.
    case corrupt(path: String, reason: String)
    /// Another process has the journal open.
    case inUse(path: String)
    /// A newer version of this program has changed the schema.
    case newer(path: String)
    /// The journal was closed before a reader could read it.
    case closed(path: String)
    /// Any other error of SQLite.
    case failed(path: String, reason: String)
}

extension JournalError {
    /// Whether more room on the disk mends it.
    var isOfRoom: Bool {
        switch self {
        case .full, .noRoomForCopy: true
        case .unwritable, .corrupt, .inUse, .newer, .closed, .failed: false
        }
    }
}

extension JournalError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unwritable(let path, let reason):
            "the journal \(path) cannot be written (\(reason)): check the folder's owner and mode, and the disk"
        case .full(let path):
            "the disk of the journal \(path) is full"
        case .noRoomForCopy(let path, let source, let octets):
            "the journal \(path) was damaged, and its disk has no room for a copy of what can be read, which takes "
                + "\((octets >> 20) + 1) MiB (without \(source), the readings in it are dropped); until then "
                + "nothing is delivered, and readings wait in memory"
        case .corrupt(let path, let reason):
            "the journal \(path) is damaged (\(reason))"
        case .inUse(let path):
            "the journal \(path) is in use by another process: stop that gateway, or give this one its own path"
        case .newer(let path):
            "the journal \(path) is of a newer version of martlet and was not touched: update the program, or give it "
                + "another path"
        case .closed(let path):
            "the journal \(path) was closed"
        case .failed(let path, let reason):
            "the journal \(path) cannot be opened (\(reason))"
        }
    }
}
