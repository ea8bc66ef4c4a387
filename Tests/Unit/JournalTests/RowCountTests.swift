// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Glibc
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Platform
@testable import Readings

/// Journals with more rows than an opening counts.
@Suite("Count of rows")
struct RowCountTests {
    private static let many = 2 * RowCount.portion + 5_000
    private let scene: JournalScene

    init() throws { scene = try JournalScene() }

    private func fill() throws {
        let journal = try scene.open()
        journal.append(JournalScene.readings(Self.many))
        journal.close()
    }

    private func openStore() throws -> (JournalStore, JournalStore.Opening) {
        let file = try JournalFile(path: scene.path)
        try Quarantine(file: file).settle(isDamaged: false)
        return try JournalStore.open(
            scene.configuration, file: file, clock: .system, memory: nil, isUnwanted: { false })
    }

    @Test("an opening counts one portion, and the rest is counted while rows come and go")
    func portions() throws {
        try fill()
        let (store, opening) = try openStore()
        defer { try? store.close() }
        #expect(opening.counted == nil)
        #expect(opening.buffered == Self.many, "as the books say")
        #expect(store.count.withLock { $0?.next } == Int64(RowCount.portion + 1))
        var batch = JournalState.Batch()
        // Before, after and across the position of the count.
        for run in [5...5, 19_990...20_010, 30_000...30_100] as [ClosedRange<Int64>] { batch.acknowledged.insert(run) }
        batch.surrendered[.coalesced] = RowSet([7, 8, 44_000])
        batch.readings = JournalScene.readings(10)
        let outcome = try store.commit(batch, buffered: opening.buffered)
        #expect(outcome.deleted == 126 && outcome.written == 10)
        #expect(try store.countOn() == nil)
        batch = JournalState.Batch()
        batch.acknowledged.insert(39_000...41_000)
        _ = try store.commit(batch, buffered: opening.buffered - 116)
        #expect(try store.countOn() == RowCount.Result(rows: Self.many - 126 + 10 - 2_001, unbalanced: 0))
        #expect(store.count.withLock { $0 == nil })
        #expect(try store.countOn() == nil)
    }

    @Test("a failed transaction does not lower the count")
    func failure() throws {
        try fill()
        let (store, opening) = try openStore()
        defer { try? store.close() }
        var batch = JournalState.Batch()
        batch.acknowledged.insert(1...10)
        batch.readings = JournalScene.readings(10_000)
        try store.pool.writeWithoutTransaction { db in
            let pages = try #require(try Int.fetchOne(db, sql: "PRAGMA page_count"))
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        let error = #expect(throws: DatabaseError.self) { try store.commit(batch, buffered: opening.buffered) }
        #expect(error?.resultCode == .SQLITE_FULL, "behind the deletion")
        _ = try store.countOn()
        #expect(try store.countOn() == RowCount.Result(rows: Self.many, unbalanced: 0))
    }

    @Test("a too high count costs no reading its place: rows go when they are counted")
    func tooMuchInBooks() async throws {
        try fill()
        try scene.execute("UPDATE ledger SET received = received + 5000 WHERE device = 1")
        let journal = try scene.open { $0.maximumRows = Self.many }
        journal.append(JournalScene.readings(3))
        journal.commitNow()
        #expect(await eventually { journal.statistics.dropped["journal-full"] != nil })
        #expect(journal.statistics.dropped == ["journal-full": 3])
        #expect(journal.statistics.buffered == Self.many)
        #expect(scene.log.text.contains("counters do not match its rows"))
        journal.close()
    }

    @Test("a damaged page beyond an opening's count is found soon, and the rows are salvaged")
    func damage() async throws {
        try fill()
        try scene.damage(pages: [scene.size() / JournalScene.page * 9 / 10])
        let journal = try scene.open()
        #expect(await eventually { scene.log.text.contains("a fresh one was begun") })
        let books = journal.statistics
        #expect(books.balances && books.buffered > Self.many - 500 && books.buffered < Self.many)
        #expect(books.dropped == ["corrupt": Self.many - books.buffered])
        journal.close()
        #expect(try scene.quarantined().contains("journal.db.1"))
        #expect(try scene.prove().balances)
    }

    /// Changes the table's root, whose cells begin at these places: four octets of a child's page, and its greatest number.
    private func changeRoot(_ change: (inout [UInt8], _ cells: [Int]) -> Void) throws {
        let root = try scene.root(of: "reading")
        let file = Glibc.open(scene.path, O_RDWR)
        defer { close(file) }
        var page = [UInt8](repeating: 0, count: JournalScene.page)
        let offset = off_t((root - 1) * JournalScene.page)
        try #require(pread(file, &page, page.count, offset) == page.count)
        try #require(page[0] == 5, "an interior page of a table")
        change(&page, (0..<4).map { Int(page[12 + 2 * $0]) << 8 | Int(page[13 + 2 * $0]) })
        try #require(pwrite(file, page, page.count, offset) == page.count)
    }

    @Test("rows out of order are damage")
    func order() throws {
        try fill()
        try changeRoot { page, cells in
            for place in 0..<4 { page.swapAt(cells[0] + place, cells[1] + place) }
        }
        let error = try DatabaseQueue(path: scene.path).read { db in
            #expect(throws: DatabaseError.self) {
                var count = RowCount()
                try count.goOn(limit: .max, in: db)
            }
        }
        #expect(error?.resultCode == .SQLITE_CORRUPT)
    }

    @Test("rows repeated after the end of a portion are damage, not an endless count")
    func again() throws {
        try fill()
        var last = 0
        try changeRoot { page, cells in
            for later in [2, 3] {
                for place in 0..<4 { page[cells[later] + place] = page[cells[0] + place] }
            }
            // The second page's greatest number: a varint.
            for octet in page[(cells[1] + 4)...] {
                last = last << 7 | Int(octet & 0x7F)
                if octet < 0x80 { break }
            }
        }
        let portion = last
        let error = try DatabaseQueue(path: scene.path).read { db in
            var count = RowCount()
            try count.goOn(limit: portion, in: db)
            #expect(count.next == Int64(portion + 1), "the portion ends with the page")
            return #expect(throws: DatabaseError.self) { try count.goOn(limit: portion, in: db) }
        }
        #expect(error?.resultCode == .SQLITE_CORRUPT)
    }
}
