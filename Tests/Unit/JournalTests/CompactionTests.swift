// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GRDB
import Logging
import Platform
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Readings

struct CompactionTests {
    let folder: TestFolder
    private var path: String { folder.path("journal.db") }

    init() throws { folder = try TestFolder() }

    private func journal(gauge: DiskGauge = .system) throws -> Journal {
        try Journal(
            JournalConfiguration(path: path, commitRows: 1, durability: .fast), clock: .system, gauge: gauge,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func fill(_ journal: Journal, rows: Int) {
        let stamp = TimeStamp(
            boot: "5e0c91aa", uptimeMilliseconds: 5, unixMilliseconds: 1_767_261_906_123, quality: .synced)
        journal.append(
            (0..<rows).map { _ in
                Reading(
                    device: "fridge", characteristic: "2a6e", source: .notify, value: Array(repeating: 7, count: 200),
                    rssi: nil, stamp: stamp)
            })
        journal.queue.sync {}
    }

    private var size: Int64 {
        ((try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? NSNumber)?.int64Value ?? 0
    }

    @Test func `a file that an outage has made large is small again, with its rows, its books and its numbers`() throws
    {
        let journal = try journal()
        defer { journal.close() }
        fill(journal, rows: 5_000)
        journal.acknowledge(Array(1...4_990))
        journal.requestCommit()
        journal.queue.sync {}
        let books = journal.statistics
        let done = try #require(journal.compact(Journal.CompactionLimits(gain: 1 << 18, rest: 1 << 20)))
        #expect(done.reason == nil)
        #expect(done.before > 1 << 20)
        #expect(done.after < done.before / 8)
        #expect(size == done.after)
        #expect(journal.statistics.buffered == 10)
        #expect(journal.statistics.received == books.received)
        #expect(journal.statistics.balances)
        #expect(try journal.rows(after: 0, limit: 100).map(\.n) == Array(4_991...5_000))
        fill(journal, rows: 1)
        #expect(try journal.rows(after: 5_000, limit: 10).map(\.n) == [5_001])
    }

    @Test func `where the disk is short of room for what is written anew, the file is left as it is`() throws {
        let free = Mutex(1 << 30)
        let journal = try journal(gauge: DiskGauge { _ in DiskSpace(total: 1 << 30, free: free.withLock { $0 }) })
        defer { journal.close() }
        fill(journal, rows: 5_000)
        journal.acknowledge(Array(1...4_990))
        journal.requestCommit()
        journal.queue.sync {}
        // The log's pages are room as well.
        _ = try journal.state.withLock { $0.database.store }?.pool.writeWithoutTransaction {
            try $0.checkpoint(.truncate)
        }
        free.withLock { $0 = 128 << 10 }
        let limits = Journal.CompactionLimits(gain: 1 << 18, rest: 1 << 20)
        let short = try #require(journal.compact(limits))
        #expect(short.reason?.contains("too little room") == true)
        #expect(short.after == short.before)
        #expect(journal.statistics.problem == nil)
        free.withLock { $0 = 1 << 30 }
        #expect(journal.compact(limits)?.reason == nil)
    }

    @Test func `damage that compacting finds is dealt with as any other`() throws {
        let scene = try JournalScene()
        try scene.fill(3_000)
        let journal = try scene.open()
        try scene.damage(pages: [20, 21])
        try journal.forgetPages()
        #expect(journal.compact(Journal.CompactionLimits(gain: 0, rest: .max)) == nil)
        #expect(try scene.quarantined().contains("journal.db.1"))
        #expect(journal.statistics.problem == nil)
        #expect(journal.statistics.buffered > 2_000)
        #expect(journal.statistics.balances)
        journal.close()
        #expect(try scene.prove().balances)
    }

    @Test func `a file that holds much, or has little to give, is left as it is`() throws {
        let journal = try journal()
        defer { journal.close() }
        fill(journal, rows: 2_000)
        let little = try #require(journal.compact(Journal.CompactionLimits(gain: 1 << 18, rest: 1 << 20)))
        #expect(little.reason?.contains("little to gain") == true)
        journal.acknowledge(Array(1...1_500))
        journal.requestCommit()
        journal.queue.sync {}
        let much = try #require(journal.compact(Journal.CompactionLimits(gain: 1 << 16, rest: 1 << 16)))
        #expect(much.reason?.contains("too much is in use") == true)
        #expect(much.before == much.after)
    }
}
