// SPDX-License-Identifier: Apache-2.0

import CPowerCut
import Foundation
import Gateway
import Synchronization

@testable import Journal

/// The events in one folder, in order: the databases' operations on the file system, and the program's messages and actions.
package final class Recording: Sendable {
    package enum Entry: Sendable {
        case disk(DiskOperation)
        case mark(Mark)
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// With a slash at its end.
    private let folder: String
    /// The file that the journal writes itself, without SQLite.
    private let beside: String
    private let entries = Mutex<[Entry]>([])
    private let watch = Mutex<Int32>(-1)

    /// Records from now on. `folder` exists; SQLite's name for it has no symbolic links.
    package init(folder: String, beside: String) throws {
        self.folder = folder + "/"
        self.beside = beside
        guard power_cut_install() == 0 else { throw Failure(description: "SQLite takes no file system of ours") }
        let observer: power_cut_observer = { context, operation in
            guard let context, let operation else { return }
            Unmanaged<Recording>.fromOpaque(context).takeUnretainedValue().record(operation.pointee)
        }
        let number = power_cut_watch(self.folder, observer, Unmanaged.passUnretained(self).toOpaque())
        guard number >= 0 else { throw Failure(description: "too many recordings at a time") }
        watch.withLock { $0 = number }
    }

    deinit { end() }

    /// Nothing is recorded any more.
    package func end() {
        let number = watch.withLock { watch in
            defer { watch = -1 }
            return watch
        }
        power_cut_unwatch(number)
    }

    package func mark(_ mark: Mark) { entries.withLock { $0.append(.mark(mark)) } }

    package var content: [Entry] { entries.withLock { $0 } }

    /// The number of operations so far for which `isCounted` is true.
    package func count(where isCounted: (DiskOperation) -> Bool) -> Int {
        entries.withLock { entries in
            entries.count { entry in if case .disk(let operation) = entry { isCounted(operation) } else { false } }
        }
    }

    private func record(_ operation: power_cut_operation) {
        guard let path = operation.path, let recorded = DiskOperation(operation, file: name(path)) else { return }
        record(recorded)
    }

    private func record(_ operation: DiskOperation) { entries.withLock { $0.append(.disk(operation)) } }

    private func name(_ path: UnsafePointer<CChar>) -> String { name(String(cString: path)) }
    private func name(_ path: String) -> String { String((path + "/").dropFirst(folder.count).dropLast()) }

    /// The file system's own, recorded as well.
    package var folders: FolderOperations {
        let system = FolderOperations.system
        @Sendable func record(_ isDone: Bool, _ operation: @autoclosure () -> DiskOperation) -> Bool {
            if isDone { self.record(operation()) }
            return isDone
        }
        return FolderOperations(
            rename: { record(system.rename($0, $1), .rename(self.name($0), to: self.name($1))) },
            remove: { record(system.remove($0), .delete(self.name($0))) },
            makeFolder: { record(system.makeFolder($0), .makeFolder(self.name($0))) },
            sync: { folder in
                // The next sync of the folder makes the file durable, before any write to the file.
                if self.name(folder).isEmpty { self.record(.open(self.beside)) }
                return record(system.sync(folder), .syncFolder(self.name(folder)))
            },
            lockFile: LockFileOperations(
                write: { record(system.lockFile.write($0, $1, $2), .write(self.beside, offset: $2, octets: $1)) },
                truncate: { record(system.lockFile.truncate($0, $1), .truncate(self.beside, size: $1)) },
                sync: { record(system.lockFile.sync($0), .sync(self.beside)) }))
    }
}

extension DiskOperation {
    fileprivate init?(_ operation: power_cut_operation, file: String) {
        switch operation.kind {
        case POWER_CUT_OPEN: self = .open(file)
        case POWER_CUT_WRITE:
            let octets = UnsafeBufferPointer(start: operation.octets, count: operation.count)
            self = .write(file, offset: Int(operation.offset), octets: Array(octets))
        case POWER_CUT_TRUNCATE: self = .truncate(file, size: Int(operation.offset))
        case POWER_CUT_SYNC: self = .sync(file)
        case POWER_CUT_SYNC_FOLDER: self = .syncFolder(DiskModel.folder(of: file))
        case POWER_CUT_DELETE: self = .delete(file)
        default: return nil
        }
    }
}
