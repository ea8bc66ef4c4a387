// SPDX-License-Identifier: Apache-2.0

import CPowerCut
import Foundation
import Gateway
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
    /// A file that the journal writes by itself, and syncs each time before it goes on: looked at before each operation.
    private let beside: String
    private let besideContent = Mutex<[UInt8]?>(nil)
    private let entries = Mutex<[Entry]>([])
    private let watch = Mutex<Int32>(-1)

    /// Records from now on. `folder` exists; SQLite's name for it has no symbolic links in it.
    package init(folder: String, beside: String) throws {
        self.folder = folder + "/"
        self.beside = beside
        besideContent.withLock { $0 = Self.octets(folder + "/" + beside) }
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
        let found = changeBeside()
        entries.withLock { entries in
            entries += found.map(Entry.disk)
            entries.append(.disk(recorded))
        }
    }

    private func changeBeside() -> [DiskOperation] {
        guard let octets = Self.octets(folder + beside) else { return [] }
        let isChanged = besideContent.withLock { content in
            defer { content = octets }
            return content != octets
        }
        guard isChanged else { return [] }
        return [
            .open(beside), .truncate(beside, size: 0), .write(beside, offset: 0, octets: octets), .sync(beside),
        ]
    }

    private static func octets(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &octets, octets.count)
        return Array(octets.prefix(max(count, 0)))
    }

    private func name(_ path: UnsafePointer<CChar>) -> String { name(String(cString: path)) }
    private func name(_ path: String) -> String { String((path + "/").dropFirst(folder.count).dropLast()) }

    /// The file system's own, recorded as well.
    package var folders: FolderOperations {
        let system = FolderOperations.system
        @Sendable func note(_ isDone: Bool, _ operation: @autoclosure () -> DiskOperation) -> Bool {
            guard isDone else { return false }
            let operation = operation()
            let found = changeBeside()
            entries.withLock { $0 += (found + [operation]).map(Entry.disk) }
            return true
        }
        return FolderOperations(
            rename: { note(system.rename($0, $1), .rename(self.name($0), to: self.name($1))) },
            remove: { note(system.remove($0), .delete(self.name($0))) },
            makeFolder: { note(system.makeFolder($0), .makeFolder(self.name($0))) },
            sync: { note(system.sync($0), .syncFolder(self.name($0))) })
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
