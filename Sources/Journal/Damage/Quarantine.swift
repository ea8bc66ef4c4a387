// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GRDB
import Glibc

/// Moves a damaged database into the folder `corrupt` beside it, and puts a fresh database in its place that names the
/// file to salvage.
///
/// The power may fail after each step:
///
/// 1. The fresh database is completed under another name.
/// 2. The damaged database moves away, its log first: no other database may find this log.
/// 3. The fresh database takes its name.
/// 4. ``Salvage`` fills the fresh database.
///
/// A start that finds the fresh database under the other name continues at step 2. A start that finds it in its place,
/// and not filled, continues at step 4.
struct Quarantine {
    /// The fresh database's key for the name of the damaged file whose rows are to be salvaged.
    static let sourceKey = "salvage-from"
    /// Damaged files that are kept; older files are removed.
    static let kept = 4

    let file: JournalFile

    private var fresh: String { file.path + ".new" }

    /// The folder of damaged journals.
    static func folder(beside path: String) -> String {
        ((path as NSString).deletingLastPathComponent as NSString).appendingPathComponent("corrupt")
    }

    /// Removes the oldest damaged files when all together take more than `octets`; the newest stays. Call this only
    /// when no copy needs any of them.
    func prune(to octets: Int) {
        var sum = 0
        for number in numbers.reversed() {
            let size = ["", "-wal"].reduce(0) { $0 + JournalFile.size(of: name(number) + $1) }
            sum = sum.addingSaturated(size)
            if number != numbers.last, sum > octets { remove(number) }
        }
    }

    /// Removes damaged files that no copy needs; true if there were any.
    func makeRoom(sparing needed: Set<String>) -> Bool {
        let useless = numbers.filter { !needed.contains(name($0)) }
        for number in useless { remove(number) }
        return !useless.isEmpty
    }

    /// Whether the file at `path` was put away before the file at `other`.
    static func number(_ path: String, isBelow other: String) -> Bool {
        let numbers = [path, other].compactMap { Int(($0 as NSString).pathExtension) }
        return numbers.count == 2 && numbers[0] < numbers[1]
    }

    /// Makes sure that a file without known damage is in place, whatever was interrupted before.
    ///
    /// - Parameter isDamaged: SQLite has found the file damaged during its use.
    func settle(isDamaged: Bool) throws(JournalError) {
        // A half finished move was the move of the damaged file.
        let isPutAway = try finish()
        try file.make()
        if isDamaged, !isPutAway { try begin() }
    }

    func begin() throws(JournalError) {
        do {
            let source = try makeRoom()
            let draft = fresh + ".draft"
            for suffix in ["", "-journal", "-wal", "-shm"] { _ = file.folders.remove(draft + suffix) }
            close(try JournalFile.open(draft, for: file.path, file.folders))
            var configuration = Configuration()
            configuration.prepareDatabase {
                try $0.execute(sql: "PRAGMA page_size = \(JournalFile.pageSize); PRAGMA synchronous = FULL")
            }
            let queue = try DatabaseQueue(path: draft, configuration: configuration)
            try JournalSchema.migrator.migrate(queue)
            try queue.write { db in
                try db.execute(
                    sql: "INSERT INTO identifier (key, value) VALUES (?, ?)",
                    arguments: [Self.sourceKey, (source as NSString).lastPathComponent])
            }
            try queue.close()
            try rename(draft, fresh)
        } catch {
            throw JournalFile.explain(error, path: file.path)
        }
        try finish()
        try file.make()
    }

    /// Finishes a move that a power cut has interrupted; true if a file was put away.
    @discardableResult
    func finish() throws(JournalError) -> Bool {
        guard access(fresh, F_OK) == 0 else { return false }
        do {
            let queue = try DatabaseQueue(path: fresh)
            let source = try queue.read { try Salvage.source(in: $0) }
            try queue.close()
            guard let source = source.map(path) else { return false }
            guard file.folders.makeFolders(folder) else { throw cannotMakeFolder }
            for suffix in ["-wal", ""] where access(file.path + suffix, F_OK) == 0 {
                try rename(file.path + suffix, source + suffix)
            }
            _ = file.folders.remove(file.path + "-shm")
            try rename(fresh, file.path)
            return true
        } catch {
            throw JournalFile.explain(error, path: file.path)
        }
    }

    /// A free name in the folder for the damaged file.
    private func makeRoom() throws -> String {
        guard file.folders.makeFolders(folder) else { throw cannotMakeFolder }
        let numbers = numbers
        let older = numbers.dropLast(Self.kept - 1)
        // The file may be one that was being filled. If the chain is unreadable for the moment, nothing is removed.
        if !older.isEmpty, let needed = try? chain(from: file.path, isReadOnly: true) {
            for number in older where !needed.contains(name(number)) { remove(number) }
        }
        return name((numbers.last ?? 0) + 1)
    }

    /// A file in the folder, and the files it was to be filled from: its source, the source of its source, and so on.
    /// The last file has the ledger.
    ///
    /// - Parameter isReadOnly: The files, their logs included, must not change.
    func chain(from first: String, isReadOnly: Bool = false) throws -> [String] {
        var chain = [first]
        while let path = chain.last, let source = try DamagedJournal(path, isReadOnly: isReadOnly)?.source,
            path == file.path || Self.number(self.path(source), isBelow: path)
        {
            chain.append(self.path(source))
        }
        return chain
    }

    /// The present path of a file with this name, whatever folder it was put away in: disks are mounted elsewhere.
    func path(_ source: String) -> String { folder + "/" + (source as NSString).lastPathComponent }

    private var cannotMakeFolder: JournalError {
        .unwritable(path: folder, reason: String(cString: strerror(errno)))
    }

    private var folder: String { Self.folder(beside: file.path) }
    private var base: String { (file.path as NSString).lastPathComponent + "." }

    private func name(_ number: Int) -> String { "\(folder)/\(base)\(number)" }

    /// The numbers of the damaged files in the folder, oldest first.
    private var numbers: [Int] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { name in
            name.hasPrefix(base) ? Int(name.dropFirst(base.count)) : nil
        }.sorted()
    }

    private func remove(_ number: Int) {
        for suffix in ["", "-wal", "-shm"] { _ = file.folders.remove(name(number) + suffix) }
    }

    private func rename(_ old: String, _ new: String) throws {
        guard file.folders.rename(old, new) else {
            throw JournalError.unwritable(path: new, reason: String(cString: strerror(errno)))
        }
        for path in Set([old, new].map(FolderOperations.folder)).sorted() { _ = file.folders.sync(path) }
    }
}
