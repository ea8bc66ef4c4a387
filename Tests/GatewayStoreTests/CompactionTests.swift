// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Testing

@testable import Gateway

struct CompactionTests {
    let folder: TemporaryFolder
    private var path: String { folder.file("journal.db") }

    init() throws { folder = try TemporaryFolder() }

    private func journal() throws -> Journal {
        try Journal(
            JournalConfiguration(path: path, commitRows: 1, durability: .fast),
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
