// SPDX-License-Identifier: Apache-2.0

import CPowerCut
import Foundation
import Synchronization

/// What happened in one folder, in one order: what databases asked of the file system, and what the program was told or
/// did meanwhile.
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
    private let entries = Mutex<[Entry]>([])
    private let watch = Mutex<Int32>(-1)

    /// Records from now on. `folder` exists; SQLite's name for it has no symbolic links in it.
    package init(folder: String) throws {
        self.folder = folder + "/"
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

    /// Operations so far that `isCounted` says yes to.
    package func count(where isCounted: (DiskOperation) -> Bool) -> Int {
        entries.withLock { entries in
            entries.count { entry in if case .disk(let operation) = entry { isCounted(operation) } else { false } }
        }
    }

    private func record(_ operation: power_cut_operation) {
        guard let path = operation.path, let recorded = DiskOperation(operation, file: name(path)) else { return }
        entries.withLock { $0.append(.disk(recorded)) }
    }

    private func name(_ path: UnsafePointer<CChar>) -> String {
        String(String(cString: path).dropFirst(folder.count))
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
        case POWER_CUT_SYNC_FOLDER: self = .syncFolder
        case POWER_CUT_DELETE: self = .delete(file)
        default: return nil
        }
    }
}
