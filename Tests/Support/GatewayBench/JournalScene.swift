// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Glibc
import Platform
import Synchronization
import Testing

@testable import Journal
@testable import Readings

/// A journal in its own folder, and the tests' changes to its file.
final class JournalScene: Sendable {
    static let page = 1_024

    let folder: TestFolder
    let configuration: JournalConfiguration
    let log = LogLines()

    /// Commits only when a test asks for a commit.
    init(durability: JournalConfiguration.Durability = .fast) throws {
        folder = try TestFolder()
        configuration = JournalConfiguration(
            path: folder.path("state/journal.db"), commitRows: 1_000_000, commitInterval: .seconds(3_600),
            durability: durability, queueCapacity: 1_000_000)
    }

    var path: String { configuration.path }
    /// The folder for damaged files.
    var corrupt: String { folder.path("state/corrupt") }

    func open(
        gauge: DiskGauge = .system, _ change: (inout JournalConfiguration) -> Void = { _ in }
    ) throws -> Journal {
        var configuration = configuration
        change(&configuration)
        return try Journal(configuration, clock: .system, gauge: gauge, logger: log.logger)
    }

    func prove() throws -> Audit { try Audit(path: path, full: true) }

    static func readings(_ count: Int) -> [Reading] {
        (0..<count).map { Sample.temperature(Int16($0 % 30_000), device: ["a", "b", "c"][$0 % 3]) }
    }

    /// A journal with so many rows of three sensors, every tenth of which was delivered.
    func fill(_ count: Int) throws {
        let journal = try open()
        journal.append(Self.readings(count))
        journal.setIdentifier("1", for: "fact")
        journal.commitNow()
        journal.acknowledge((1...Int64(count)).filter { $0 % 10 == 0 })
        journal.close()
    }

    /// Writes over pages of the file, counted from 1.
    func damage(pages: [Int], with octet: UInt8 = 0xA5) throws {
        let file = Glibc.open(path, O_WRONLY)
        defer { close(file) }
        let junk = [UInt8](repeating: octet, count: Self.page)
        for page in pages {
            try #require(pwrite(file, junk, junk.count, off_t((page - 1) * Self.page)) == junk.count)
        }
    }

    /// Something else has the file for a moment.
    func execute(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// The root page of a table or of an index.
    func root(of name: String) throws -> Int {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try #require(
            try queue.read {
                try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = ?", arguments: [name])
            })
    }

    /// Names of the files in ``corrupt``.
    func quarantined() throws -> [String] {
        guard FileManager.default.fileExists(atPath: corrupt) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: corrupt).filter { !$0.hasSuffix("-shm") }.sorted()
    }

    /// Moves the file to ``corrupt``, and leaves the new file empty.
    func putAway() throws {
        let file = try JournalFile(path: path)
        defer { file.release() }
        try Quarantine(file: file).begin()
    }

    func size(_ suffix: String = "") -> Int { JournalFile.size(of: path + suffix) }
}

extension Journal {
    /// Commits the waiting rows, and returns after the commit.
    func commitNow() {
        requestCommit()
        queue.sync {}
    }

    /// The journal has counted all rows, including the rows from before the start.
    var isCounted: Bool { state.withLock { $0.database.store }?.count.withLock { $0 == nil } ?? false }

    /// Makes SQLite read its cached pages again, so that it finds damage.
    func forgetPages() throws {
        try state.withLock { $0.database.store }?.pool.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA shrink_memory")
        }
    }
}
