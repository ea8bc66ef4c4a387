// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Readings

/// Journals whose last transactions are gone: SQLite says nothing when the end of its log is damaged.
@Suite("Lost ends of journals")
struct LostEndTests {
    private let scene: JournalScene

    init() throws { scene = try JournalScene(durability: .powerSafe) }

    private static let suffixes = ["", "-wal", ".lock"]

    /// The files as a kill at this moment leaves them.
    private func snapshot() throws -> [Data] {
        try Self.suffixes.map { try Data(contentsOf: URL(fileURLWithPath: scene.path + $0)) }
    }

    private func restore(_ files: [Data]) throws {
        for (suffix, octets) in zip(Self.suffixes, files) {
            try octets.write(to: URL(fileURLWithPath: scene.path + suffix))
        }
        try? FileManager.default.removeItem(atPath: scene.path + "-shm")
    }

    /// Ten transactions of five readings, and a kill.
    private func killed() throws -> [Data] {
        let journal = try scene.open()
        for _ in 0..<10 {
            journal.append(JournalScene.readings(5))
            journal.commitNow()
        }
        let files = try snapshot()
        journal.close()
        return files
    }

    /// SQLite reads up to the first frame with a wrong checksum.
    private func cut(_ log: Data) -> Data {
        var log = log
        let frame = 24 + JournalScene.page
        let start = 32 + frame * ((log.count - 32) / frame * 4 / 5) + 100
        for index in start..<(start + 64) { log[index] ^= 0xFF }
        return log
    }

    @Test("a kill costs no reading, and none is counted")
    func sound() throws {
        try restore(try killed())
        let journal = try scene.open()
        #expect(journal.statistics.buffered == 50)
        #expect(journal.statistics.dropped.isEmpty)
        #expect(scene.log.text.isEmpty)
        journal.close()
    }

    @Test("readings of a damaged log are counted, once, so that the counts balance")
    func damagedLog() throws {
        var files = try killed()
        files[1] = cut(files[1])
        try restore(files)
        let journal = try scene.open()
        let books = journal.statistics
        #expect((1..<50).contains(books.buffered))
        #expect(books.received == 50)
        #expect(books.dropped == ["journal-damaged": 50 - books.buffered])
        #expect(books.balances)
        #expect(scene.log.text.contains("up to \(50 - books.buffered) readings"))
        journal.append(JournalScene.readings(1))
        journal.commitNow()
        #expect(try journal.rows(after: 50, limit: 10).count == 1, "no number comes again")
        journal.close()
        let again = try scene.open()
        #expect(again.statistics.received == 51)
        #expect(again.statistics.dropped == books.dropped)
        again.close()
        #expect(try scene.prove().balances)
    }

    @Test("skipped numbers were no readings")
    func leap() throws {
        var files = try killed()
        files[1] = cut(files[1])
        try restore(files)
        let first = try scene.open()
        let kept = first.statistics.buffered
        first.append(JournalScene.readings(5))
        first.commitNow()
        #expect(try first.rows(after: 50, limit: 10).map { $0.n > 100_000 } == Array(repeating: true, count: 5))
        let lock = try snapshot()[2]
        first.close()
        // This log again, without the leap and the count.
        files[2] = lock
        try restore(files)
        let second = try scene.open()
        #expect(second.statistics.buffered == kept)
        #expect(second.statistics.dropped == ["journal-damaged": 55 - kept])
        second.close()
        #expect(try scene.prove().balances)
    }

    @Test("after a journal that did not wait for the disk, numbers leap once")
    func leapsOnce() throws {
        let fast = try scene.open { $0.durability = .fast }
        fast.append(JournalScene.readings(5))
        fast.commitNow()
        var files = try snapshot()
        fast.close()
        var numbers: [Int64] = []
        for _ in 0..<3 {
            // Each run is killed.
            try restore(files)
            let journal = try scene.open()
            journal.append(JournalScene.readings(1))
            journal.commitNow()
            numbers.append(try #require(try journal.rows(after: 0, limit: 10).last?.n))
            files = try snapshot()
            journal.close()
        }
        #expect(numbers == [1_000_006, 1_000_007, 1_000_008])
    }

    @Test("without a count in the lock file, the numbers are counted")
    func numbers() throws {
        var files = try killed()
        files[1] = cut(files[1])
        files[2] = files[2].prefix(56)
        try restore(files)
        let journal = try scene.open()
        #expect(journal.statistics.received == 50)
        #expect(journal.statistics.balances)
        journal.close()
    }

    @Test("with an unreadable reservation, the last used number is not reused, and is counted once")
    func noReservation() throws {
        var files = try killed()
        files[1] = cut(files[1])
        files[2].replaceSubrange(0..<27, with: Data(repeating: UInt8(ascii: "x"), count: 27))
        try restore(files)
        let journal = try scene.open()
        let books = journal.statistics
        #expect(books.received == 50)
        journal.append(JournalScene.readings(1))
        journal.commitNow()
        #expect(try journal.rows(after: 50, limit: 10).count == 1)
        journal.close()
        let again = try scene.open()
        #expect(again.statistics.received == 51)
        #expect(again.statistics.dropped == books.dropped)
        again.close()
        #expect(try scene.prove().balances)
    }

    @Test("an older copy in the place of a running gateway's file is counted as well")
    func whileRunning() throws {
        let old = try killed()
        try restore(old)
        let journal = try scene.open()
        journal.append(JournalScene.readings(10))
        journal.commitNow()
        try? FileManager.default.removeItem(atPath: scene.path + "-wal")
        try? FileManager.default.removeItem(atPath: scene.path + "-shm")
        try old[1].write(to: URL(fileURLWithPath: scene.path + "-wal"))
        try old[0].write(to: URL(fileURLWithPath: scene.path), options: .atomic)
        journal.append(JournalScene.readings(1))
        journal.commitNow()
        let books = journal.statistics
        #expect(books.received == 61)
        #expect(books.dropped == ["journal-damaged": 10])
        #expect(books.balances)
        journal.close()
        #expect(try scene.prove().balances)
    }
}
