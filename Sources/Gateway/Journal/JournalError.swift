// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a journal's file.
package enum JournalError: Error, Equatable, Sendable {
    /// The folder or the file cannot be made or written.
    case unwritable(path: String, reason: String)
    /// There is no room on its disk.
    case full(path: String)
    /// The file is no SQLite database, or its content is damaged.
    case corrupt(path: String, reason: String)
    /// Another process works on it.
    case inUse(path: String)
    /// A newer version of this program has changed its schema.
    case newer(path: String)
    /// Anything else that SQLite said.
    case failed(path: String, reason: String)
}

extension JournalError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unwritable(let path, let reason):
            "the journal \(path) cannot be written (\(reason)): check the folder's owner and mode, and the disk"
        case .full(let path):
            "the disk of the journal \(path) is full: free some room on it, a MiB or more; files in the folder corrupt "
                + "beside the journal can go"
        case .corrupt(let path, let reason):
            "the journal \(path) is damaged (\(reason))"
        case .inUse(let path):
            "the journal \(path) is in use by another process: stop that gateway, or give this one its own path"
        case .newer(let path):
            "the journal \(path) is of a newer version of martlet and was not touched: update martlet, or give it "
                + "another path"
        case .failed(let path, let reason):
            "the journal \(path) cannot be opened (\(reason))"
        }
    }
}
