// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import GRDB
import Glibc
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Readings

/// Threads that read a journal while its database is closed, and another database is opened.
@Suite("Journal closed under readers", .serialized, .ownThread)
struct JournalCloseTests {
    /// Another program's harm to the file of a running gateway.
    enum Harm: CaseIterable { case unlink, cut, empty, replace, junk }

    private let scene: JournalScene

    init() throws { scene = try JournalScene() }

    @Test(
        "readers survive any harm to the file, and later readings are there",
        arguments: Harm.allCases)
    func harm(_ harm: Harm) throws {
        try scene.fill(30)
        let older = scene.folder.path("older.db")
        try FileManager.default.copyItem(atPath: scene.path, toPath: older)
        let journal = try scene.open()
        let crowd = Crowd()
        joinInside(crowd, journal)
        let killed = Counter()
        joinBeside(crowd, killed)
        for round in 0..<Repetitions.rounds(30) {
            journal.append(JournalScene.readings(50))
            journal.commitNow()
            try hurt(harm, older: older, round)
            journal.append(JournalScene.readings(20))
            journal.commitNow()
        }
        #expect(crowd.end() >= 5)
        #expect(killed.value == 0)
        #expect(journal.statistics.balances)
        // The next commit notices this harm, whatever the result of the last one.
        try hurt(.unlink, older: older, 0)
        journal.append((0..<20).map { Sample.temperature(32_000 + $0) })
        journal.close()
        let again = try scene.open()
        let rows = try again.rows(after: 0, limit: 1_000_000)
        #expect(rows.suffix(20).map(\.value) == (0..<20).map { Sample.temperature(32_000 + $0).value })
        #expect(again.statistics.balances)
        again.close()
        #expect(try scene.prove().balances)
    }

    /// All readers of a journal in the gateway.
    private func joinInside(_ crowd: Crowd, _ journal: Journal) {
        let cursor = Atomic<Int64>(0)
        crowd.add {
            // As the history lane goes through the rows.
            let rows = (try? journal.rows(after: cursor.load(ordering: .relaxed), limit: 100)) ?? []
            journal.acknowledge(rows.prefix(10).map(\.n))
            cursor.store(rows.last?.n ?? 0, ordering: .relaxed)
        }
        crowd.add {
            // As the live lane begins.
            _ = try? journal.firstRow(ofBoot: Sample.synced.boot, sinceUptime: 0)
            _ = try? journal.deviceName(99)
            _ = try? journal.characteristicName(99)
            _ = try? journal.boots()
        }
        crowd.add {
            _ = journal.statistics
            _ = journal.sensorBooks
        }
    }

    /// Separate processes, as on a gateway. SQLite's locks protect the index of a log from truncation by others. They do not work between
    /// two files with one name in one process: a reader there dies of a bus error.
    private func joinBeside(_ crowd: Crowd, _ killed: Counter) {
        let path = scene.path
        for command in [["audit", "--full"], ["buffer", "export"]] {
            crowd.add {
                // The command's result depends on the harm; no signal may end it.
                if (try? MartletProcess(command + ["--journal", path]))?.wait() == nil { killed.increment() }
            }
        }
    }

    /// Uses names only: to open and close the file here would release SQLite's locks in this process.
    private func hurt(_ harm: Harm, older: String, _ round: Int) throws {
        let size = off_t(scene.size())
        switch harm {
        case .unlink: unlink(scene.path)
        case .cut: truncate(scene.path, size * off_t(1 + round % 3) / 4)
        case .empty: truncate(scene.path, 0)
        case .replace, .junk:
            let other = scene.path + ".other"
            if harm == .replace {
                try FileManager.default.copyItem(atPath: older, toPath: other)
            } else {
                try Data(repeating: 0xA5, count: Int(size)).write(to: URL(fileURLWithPath: other))
            }
            try #require(rename(other, scene.path) == 0)
        }
    }

    @Test("readers survive the end of the journal, and hear of it")
    func end() throws {
        let current = Mutex(try scene.open())
        let refused = Atomic<Int>(0)
        let crowd = Crowd()
        crowd.add(3) {
            let journal = current.withLock { $0 }
            do {
                _ = try journal.rows(after: 0, limit: 10)
                _ = try journal.boots()
            } catch JournalError.closed {
                refused.add(1, ordering: .relaxed)
            } catch {
                Issue.record(error)
            }
            _ = journal.statistics
            _ = journal.sensorBooks
        }
        let rounds = Repetitions.rounds(100)
        for _ in 0..<rounds {
            let journal = current.withLock { $0 }
            journal.append(JournalScene.readings(3))
            journal.commitNow()
            journal.close()
            #expect(throws: JournalError.closed(path: scene.path)) { try journal.boots() }
            let next = try scene.open()
            current.withLock { $0 = next }
        }
        crowd.end()
        let last = current.withLock { $0 }
        #expect(last.statistics.buffered == 3 * rounds)
        #expect(try last.rows(after: 0, limit: 1_000).count == 3 * rounds)
        last.close()
    }

    @Test("a reader that comes too late for one database reads the next one")
    func late() throws {
        let journal = try scene.open()
        let looks = Mutex(0)
        let rows = try journal.read([]) { store in
            if looks.withLock({ looks in
                looks += 1
                return looks
            }) == 1 {
                unlink(scene.path)
                journal.append(JournalScene.readings(5))
                journal.commitNow()
            }
            return try store.rows(after: 0, limit: 10)
        }
        #expect(rows.count == 5)
        #expect(looks.withLock { $0 } == 2)
        journal.close()
    }

    @Test("the connections stay open while a reader uses them, and no new reader enters meanwhile")
    func leases() throws {
        let file = try JournalFile(path: scene.path)
        try file.make()
        let pool = try file.openPool(durability: .fast)
        let events = Mutex<[String]>([])
        let (isIn, mayRead, isClosed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        isClosed.enter()
        Thread.detachNewThread {
            try? pool.use { connections in
                isIn.signal()
                mayRead.wait()
                let count = (0..<1_000).count { n in
                    (try? connections.read { try Int.fetchOne($0, sql: "SELECT 1") }) == 1
                }
                events.withLock { $0.append("\(count) reads") }
            }
        }
        isIn.wait()
        Thread.detachNewThread {
            try? pool.close()
            events.withLock { $0.append("closed") }
            isClosed.leave()
        }
        while (try? pool.read { _ in true }) == true {}
        mayRead.signal()
        isClosed.wait()
        #expect(events.withLock { $0 } == ["1000 reads", "closed"])
        #expect(throws: JournalError.closed(path: scene.path)) { try pool.write { _ in } }
        try pool.close()
    }
}
