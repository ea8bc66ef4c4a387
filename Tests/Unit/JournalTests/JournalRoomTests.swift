// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Readings

/// Disks filled by the journal or by other programs.
@Suite("Room on the journal's disk")
struct JournalRoomTests {
    private let scene: JournalScene

    init() throws { scene = try JournalScene() }

    /// A disk with a journal and with other programs' files.
    private final class Disk: Sendable {
        let total: Int
        private let scene: JournalScene
        private let others = Mutex(0)

        init(_ total: Int, _ scene: JournalScene) {
            self.total = total
            self.scene = scene
        }

        var free: Int {
            let own = ["", "-wal", "-shm", ".lock"].reduce(0) { $0 + scene.size($1) }
            return max(total - own - others.withLock { $0 }, 0)
        }

        func leave(_ octets: Int) {
            let taken = free - octets
            others.withLock { $0 += taken }
        }

        var gauge: DiskGauge { DiskGauge { _ in DiskSpace(total: self.total, free: self.free) } }
    }

    /// Does not ask for statistics: a paused read of the oldest row would block the checkpoint of the log.
    private func write(_ count: Int, to journal: Journal) async {
        func committed() -> Int { journal.state.withLock { $0.books.current(with: $0.batches).committed } }
        let before = committed()
        journal.append(JournalScene.readings(count))
        journal.requestCommit()
        #expect(await eventually { committed() == before + count })
    }

    @Test(
        "a disk filled by the journal has room for the log and its checkpoint, and everything drains",
        arguments: [(1 << 20, 1_000, 30), (8 << 20, 10_000, 25)])
    func fill(_ size: Int, _ portion: Int, _ portions: Int) async throws {
        let disk = Disk(size, scene)
        let journal = try scene.open(gauge: disk.gauge)
        var least = Int.max
        for _ in 0..<portions {
            await write(portion, to: journal)
            least = min(least, disk.free)
        }
        #expect(least > 24 << 10, "\(least) octets are left")
        let full = journal.statistics
        #expect(full.buffered > size / 100, "it is used: \(full.buffered)")
        #expect(full.dropped == [DropReason.journalSize.rawValue: portion * portions - full.buffered])
        #expect(full.notice != nil)
        #expect(scene.log.text.contains("disk is nearly full") && scene.log.text.contains("disk.kept_free_kib="))
        let kept = try journal.rows(after: 0, limit: portion * portions).map(\.n)
        #expect(kept.count == full.buffered)
        // Three sensors take turns.
        func sensor(_ n: Int64) -> Int { Int(n - 1) % portion % 3 }
        for one in 0..<3 {
            let own = kept.filter { sensor($0) == one }
            let all = (1...Int64(portion * portions)).filter { sensor($0) == one }
            #expect(own == all.suffix(own.count), "the oldest went")
            #expect(abs(own.count - kept.count / 3) <= portion, "each has its share")
        }

        journal.acknowledge(kept)
        journal.requestCommit()
        #expect(await eventually { journal.statistics.buffered == 0 && disk.free > 24 << 10 })
        await write(portion, to: journal)
        #expect(journal.statistics.dropped == full.dropped, "what is free in the file is used again")
        journal.close()
        #expect(try scene.prove().balances)
    }

    @Test("on a disk filled by others no more rows go than come in, and none while the file has room")
    func others() async throws {
        let disk = Disk(100 << 20, scene)
        let journal = try scene.open(gauge: disk.gauge)
        await write(20_000, to: journal)
        disk.leave(0)
        await write(1_000, to: journal)
        let dropped = journal.statistics.dropped
        #expect((500...1_500).contains(dropped["journal-size"] ?? 0), "\(dropped)")
        journal.acknowledge(Array(10_000..<15_000))
        await write(1_000, to: journal)
        #expect(journal.statistics.dropped == dropped)
        disk.leave(50 << 20)
        await write(20_000, to: journal)
        #expect(journal.statistics.dropped == dropped, "it grows again")
        #expect(scene.log.text.contains("has room again"))
        // The log's size at the last check depends on the time of its checkpoint.
        #expect(
            await eventually {
                journal.requestCommit()
                return journal.statistics.notice == nil
            })
        journal.close()
        #expect(try scene.prove().balances)
    }

    @Test("a small journal may use the rest of the reserved room")
    func shared() async throws {
        let disk = Disk(10 << 30, scene)
        disk.leave(4 << 20)
        let journal = try scene.open(gauge: disk.gauge)
        await write(20_000, to: journal)
        #expect(journal.statistics.dropped.isEmpty)
        journal.close()
    }

    @Test("with little room, waiting rows are written in portions, and their senders hear of it after the last")
    func portions() async throws {
        let disk = Disk(1 << 20, scene)
        let journal = try scene.open(gauge: disk.gauge)
        let commits = Counter()
        journal.setCommitObserver { commits.increment() }
        let told = Mutex<[Int]>([])
        journal.append(JournalScene.readings(6_000)) { isDurable in
            told.withLock { $0.append(isDurable ? journal.statistics.committed : -1) }
        }
        #expect(await eventually { !told.withLock { $0.isEmpty } })
        #expect(told.withLock { $0 } == [6_000])
        #expect(commits.value > 1)
        #expect(try journal.rows(after: 0, limit: 10_000).map(\.n) == Array(1...6_000))
        #expect(journal.purge() == 6_000)
        #expect(journal.statistics.buffered == 0)
        journal.close()
        #expect(try scene.prove().balances)
    }

    @Test("a stop writes all waiting rows, also in the small portions of a full disk")
    func stop() throws {
        let disk = Disk(8 << 20, scene)
        disk.leave(0)
        let journal = try scene.open(gauge: disk.gauge)
        journal.state.withLock { state in (0..<10).forEach { _ in state.commits.foundDiskFull() } }
        journal.append(JournalScene.readings(6_000))
        disk.leave(4 << 20)
        journal.close()
        #expect(journal.statistics.dropped.isEmpty)
        let next = try scene.open()
        #expect(next.statistics.buffered == 6_000)
        next.close()
        #expect(try scene.prove().balances)
    }

    /// A disk's measures in KiB, and the resulting limits.
    struct Row: Sendable {
        var total: Int
        var free: Int
        var size: Int
        var file: Int
        var log: Int
        var rest: Int
        var reserve: Int
        /// Of 4 KiB.
        var pages: Int
        var share: Int
    }

    private static let rows: [Row] = [
        // 32 GiB with much room: a large journal, a small journal.
        Row(
            total: 32 << 20, free: 20 << 20, size: 1 << 20, file: 1 << 20, log: 4096, rest: 20 << 20, reserve: 32 << 10,
            pages: 1_000, share: 5 << 19),
        Row(
            total: 32 << 20, free: 20 << 20, size: 1024, file: 1024, log: 0, rest: 20 << 20, reserve: 256,
            pages: 1_000, share: 5 << 19),
        // 10,000 KiB, the log copied, and not copied and too long.
        Row(
            total: 10_000, free: 1024, size: 6000, file: 6000, log: 256, rest: 1024, reserve: 1000, pages: 32,
            share: 128),
        Row(total: 10_000, free: 1024, size: 6000, file: 5000, log: 512, rest: 472, reserve: 1000, pages: 8, share: 16),
        // 1 MiB with little room, and without any.
        Row(total: 1000, free: 64, size: 800, file: 800, log: 0, rest: 64, reserve: 100, pages: 8, share: 16),
        Row(total: 1000, free: 0, size: 60, file: 60, log: 0, rest: 0, reserve: 64, pages: 8, share: 16),
        Row(total: 1000, free: 0, size: 400, file: 60, log: 400, rest: -4, reserve: 100, pages: 8, share: 16),
    ]

    @Test("with less room, more of it is reserved, and transactions and log are smaller", arguments: rows)
    func room(_ row: Row) {
        func room(minimum: Int, halvings: Int) -> JournalRoom {
            JournalRoom(
                DiskSpace(total: row.total << 10, free: row.free << 10), size: row.size << 10, file: row.file << 10,
                log: row.log << 10, minimum: minimum, halvings: halvings)
        }
        let usual = room(minimum: 32 << 20, halvings: 0)
        #expect(usual.free == row.rest << 10)
        #expect(usual.reserve == row.reserve << 10)
        #expect(usual.log == row.pages << 12)
        #expect(usual.logPages(of: 4096) == row.pages && usual.logPages(of: 1024) == 4 * row.pages)
        #expect(usual.share == row.share << 10)
        #expect(usual.isShort == (row.rest < row.reserve))
        let halved = room(minimum: 0, halvings: 2)
        #expect(halved.share == max(row.share << 8, 16 << 10))
        #expect(halved.reserve == 64 << 10)
    }

    @Test("this system's disks have room, and missing places have none")
    func system() throws {
        let space = try #require(DiskGauge.system.space(scene.folder.path))
        #expect(space.total >= space.free && space.free > 0)
        #expect(DiskGauge.system.space("/nowhere/at/all") == nil)
    }
}
