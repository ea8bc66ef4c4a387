// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Platform
@testable import Readings

/// Journals whose pages an earlier version made larger.
@Suite("Size of pages")
struct PageSizeTests {
    private let scene: JournalScene

    init() throws { scene = try JournalScene() }

    private func pageSize() throws -> Int {
        let queue = try DatabaseQueue(path: scene.path)
        defer { try? queue.close() }
        return try queue.read { try JournalFile.pageSize(of: $0) }
    }

    /// A journal with so many rows, of which every tenth was delivered, as the version before wrote it.
    private func fillOld(_ count: Int) throws {
        try scene.fill(count)
        try scene.execute("PRAGMA journal_mode = DELETE")
        try scene.execute("PRAGMA page_size = 4096; VACUUM")
        try scene.execute("PRAGMA journal_mode = WAL")
        #expect(try pageSize() == 4_096)
    }

    @Test("a journal that is begun has small pages, also the one in the place of a damaged one")
    func fresh() throws {
        try scene.fill(10)
        #expect(try pageSize() == JournalFile.pageSize)
        try scene.putAway()
        try scene.open().close()
        #expect(try pageSize() == JournalFile.pageSize)
        #expect(try scene.prove().balances)
    }

    @Test("a small journal of an earlier version is given small pages, and keeps its rows, books, facts and numbers")
    func renewed() throws {
        try fillOld(1_000)
        let old = try scene.prove()
        let journal = try scene.open()
        #expect(try journal.rows(after: 0, limit: 2_000).map(\.n) == (1...1_000).filter { $0 % 10 != 0 })
        #expect(journal.statistics.buffered == 900 && journal.statistics.delivered == 100)
        #expect(journal.identifier(for: "fact") == "1")
        journal.append(JournalScene.readings(1))
        journal.commitNow()
        #expect(try journal.rows(after: 1_000, limit: 2).map(\.n) == [1_001])
        #expect(FileManager.default.fileExists(atPath: scene.path + "-wal"), "it has a log again")
        journal.close()
        #expect(try pageSize() == JournalFile.pageSize)
        let new = try scene.prove()
        #expect(new.balances && new.total.received == old.total.received + 1)
        #expect(scene.log.text.isEmpty)
    }

    @Test("rows that the log alone has are in the renewed file")
    func log() throws {
        try fillOld(100)
        // As kill -9 leaves it: the log has what the file has not.
        let copy = scene.folder.path("copy")
        let queue = try DatabasePool(path: scene.path)
        try queue.write { try $0.execute(sql: "UPDATE ledger SET received = received + 1, missing = missing + 1") }
        try queue.write { try $0.execute(sql: "UPDATE ledger SET received = received - 1") }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: scene.path + suffix, toPath: copy + suffix)
        }
        try queue.close()
        for suffix in ["", "-wal"] {
            try? FileManager.default.removeItem(atPath: scene.path + suffix)
            try FileManager.default.moveItem(atPath: copy + suffix, toPath: scene.path + suffix)
        }
        #expect(scene.size("-wal") > 0)
        let again = try scene.open()
        #expect(again.statistics.missing == 3)
        again.close()
        #expect(try pageSize() == JournalFile.pageSize)
    }

    @Test("a large journal, and one whose disk has no room, stay as they are and go on")
    func stays() throws {
        try fillOld(1_000)
        let full = DiskGauge { _ in DiskSpace(total: 1 << 20, free: 70 << 10) }
        var journal = try scene.open(gauge: full)
        #expect(journal.statistics.buffered == 900)
        journal.close()
        #expect(try pageSize() == 4_096)
        try fillOld(200_000)
        #expect(scene.size() > JournalFile.longestRenewed)
        journal = try scene.open()
        journal.append(JournalScene.readings(1))
        journal.close()
        #expect(try pageSize() == 4_096)
        #expect(try scene.prove().balances)
    }
}
