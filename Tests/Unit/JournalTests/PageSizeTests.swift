// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization
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

    /// A journal of the former version with this many rows; every tenth row was delivered.
    private func fillOld(_ count: Int) throws {
        try scene.fill(count)
        try scene.execute("PRAGMA journal_mode = DELETE")
        try scene.execute("PRAGMA page_size = 4096; VACUUM")
        try scene.execute("PRAGMA journal_mode = WAL")
        #expect(try pageSize() == 4_096)
    }

    @Test("a new journal has small pages, also the replacement of a damaged journal")
    func fresh() throws {
        try scene.fill(10)
        #expect(try pageSize() == JournalFile.pageSize)
        try scene.putAway()
        try scene.open().close()
        #expect(try pageSize() == JournalFile.pageSize)
        #expect(try scene.prove().balances)
    }

    @Test("a journal of an earlier version goes on with its larger pages")
    func larger() throws {
        try fillOld(1_000)
        let old = try scene.prove()
        let journal = try scene.open()
        #expect(journal.statistics.buffered == 900 && journal.statistics.delivered == 100)
        journal.append(JournalScene.readings(1))
        journal.commitNow()
        #expect(try journal.rows(after: 1_000, limit: 2).map(\.n) == [1_001])
        #expect(try logPages(journal) == JournalRoom.longestLog / 4_096)
        journal.close()
        #expect(try pageSize() == 4_096)
        let new = try scene.prove()
        #expect(new.balances && new.total.received == old.total.received + 1)
        #expect(scene.log.text.isEmpty)
    }

    @Test("the log is as long with small pages as with larger ones")
    func log() throws {
        let journal = try scene.open()
        defer { journal.close() }
        #expect(try logPages(journal) == JournalRoom.longestLog / JournalFile.pageSize)
        var long = Sample.temperature(1)
        long.value = [UInt8](repeating: 1, count: 700)
        #expect(JournalRoom.pages(for: Array(repeating: long, count: 50), pageSize: 1_024) >= 50, "one on a page")
    }

    private func logPages(_ journal: Journal) throws -> Int? {
        let store = try #require(journal.state.withLock { $0.database.store })
        return try store.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA wal_autocheckpoint") }
    }
}
