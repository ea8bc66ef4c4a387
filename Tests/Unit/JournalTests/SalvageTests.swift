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

/// Interrupted copies from damaged files, and copies during other work.
@Suite("Salvage")
struct SalvageTests {
    private let scene: JournalScene

    init() throws { scene = try JournalScene() }

    private var path: String { scene.path }

    /// A journal with 5,000 rows of three sensors and two junk pages; every tenth row was delivered. Returns the readable rows, by single
    /// queries.
    @discardableResult
    private func fill() throws -> [Int64] {
        try scene.fill(5_000)
        try scene.damage(pages: [20, 21])
        let copy = scene.folder.path("damaged.db")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let queue = try DatabaseQueue(path: copy)
        defer { try? queue.close() }
        return queue.unsafeRead { db in
            (1...5_000).filter { n in
                (try? Int64.fetchOne(db, sql: "SELECT n FROM reading WHERE n = ?", arguments: [n])) == n
            }
        }
    }

    /// Moves the file away, and stops the copy after `portions` portions, as a kill does.
    private func putAway(copying portions: Int) throws {
        let file = try JournalFile(path: path)
        defer { file.release() }
        try Quarantine(file: file).begin()
        try copy(portions, to: file)
    }

    private func copy(_ portions: Int, to file: JournalFile) throws {
        let store = try JournalStore(scene.configuration, file: file, clock: .system)
        let left = Mutex(portions)
        let salvage = Salvage(from: file, memory: nil) {
            left.withLock { left in
                left -= 1
                return left < 0
            }
        }
        #expect(throws: JournalError.self) { try salvage.run(into: store) }
        try store.pool.close()
    }

    /// Expects the rows of an undisturbed salvage.
    private func expect(_ numbers: [Int64], in journal: Journal) throws {
        let rows = try journal.rows(after: 0, limit: 10_000)
        let books = journal.statistics
        #expect(rows.count < 4_500)
        #expect(Set(rows.map(\.n)).subtracting(numbers).sorted() == [], "rows that cannot be read")
        #expect(Set(numbers).subtracting(rows.map(\.n)).sorted() == [], "rows that can be read")
        #expect(books.received == 5_000)
        #expect(books.delivered == 500)
        #expect(books.dropped == ["corrupt": 4_500 - rows.count])
        #expect(books.balances)
        #expect(journal.identifier(for: "fact") == "1")
        #expect(journal.identifier(for: Quarantine.sourceKey) == nil)
    }

    @Test(
        "an interrupted copy continues at its position, however often", arguments: [[0], [1], [2], [4], [1, 0, 2]])
    func interrupted(_ portions: [Int]) throws {
        let numbers = try fill()
        try putAway(copying: portions[0])
        for portion in portions.dropFirst() {
            let file = try JournalFile(path: path)
            try copy(portion, to: file)
            file.release()
        }
        let journal = try scene.open()
        try expect(numbers, in: journal)
        journal.append([Sample.temperature(1)])
        journal.close()
        #expect(try scene.prove().balances)
        let again = try scene.open()
        let new = try again.rows(after: 5_000, limit: 10)
        #expect(new.count == 1)
        #expect(again.statistics.received == 5_001)
        again.close()
    }

    @Test("a file damaged while it is filled is replaced, with its source as the first choice")
    func chain() throws {
        let numbers = try fill()
        try putAway(copying: 2)
        try putAway(copying: 1)
        let journal = try scene.open()
        try expect(numbers, in: journal)
        journal.append([Sample.temperature(1)])
        journal.acknowledge([1])
        journal.close()
        #expect(try scene.prove().balances)
        // The books are not made up a second time.
        let again = try scene.open()
        #expect(again.statistics.received == 5_001)
        #expect(again.statistics.delivered == 501)
        again.close()
    }

    @Test("facts of a damaged file do not replace better knowledge")
    func facts() throws {
        try fill()
        try scene.putAway()
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "INSERT INTO identifier (key, value) VALUES ('fact', '2')") }
        try queue.close()
        let journal = try scene.open()
        #expect(journal.identifier(for: "fact") == "2")
        #expect(journal.identifier(for: "salvage-cursor") == nil)
        journal.close()
    }

    @Test("a temporary obstacle to reading a damaged file costs no row: the copy is tried again")
    func transient() async throws {
        try fill()
        try scene.putAway()
        // SQLite cannot make its index of the log.
        let obstacle = scene.folder.path("state/corrupt/journal.db.1-shm")
        try FileManager.default.createSymbolicLink(atPath: obstacle, withDestinationPath: "/nowhere/at-all")
        let journal = try scene.open()
        #expect(journal.statistics.problem != nil)
        journal.append([Sample.temperature(1)])
        #expect(journal.statistics.waiting == 1)
        try FileManager.default.removeItem(atPath: obstacle)
        #expect(await eventually { journal.statistics.waiting == 0 })
        #expect(try journal.rows(after: 0, limit: 10_000).count > 4_100)
        #expect(journal.statistics.received == 5_001)
        journal.close()
        #expect(try scene.prove().balances)
    }

    @Test("a caller without time for the database continues without it, and hears when it is open")
    func patience() async throws {
        try fill()
        try scene.putAway()
        let journal = try Journal(scene.configuration, clock: .system, patience: .zero, logger: scene.log.logger)
        let facts = Mutex<[String?]>([])
        journal.whenOpen { [weak journal] in facts.withLock { $0.append(journal?.identifier(for: "fact")) } }
        journal.append([Sample.temperature(1)])
        journal.setIdentifier("2", for: "other")
        #expect(await eventually { facts.withLock { $0 } == ["1"] })
        journal.requestCommit()
        #expect(await eventually { journal.statistics.waiting == 0 && journal.statistics.received == 5_001 })
        #expect(journal.statistics.problem == nil)
        #expect(journal.identifier(for: "other") == "2")
        // The journal is open: the closure runs at once.
        journal.whenOpen { facts.withLock { $0.append("now") } }
        #expect(facts.withLock { $0 } == ["1", "now"])
        journal.close()
        #expect(try scene.prove().balances)
    }

    @Test("a stopping gateway does not wait for a long copy, and the next gateway continues the copy")
    func stops() throws {
        let numbers = try fill()
        try scene.putAway()
        let journal = try Journal(scene.configuration, clock: .system, patience: .zero, logger: scene.log.logger)
        journal.close()
        let next = try scene.open()
        try expect(numbers, in: next)
        next.close()
        #expect(try scene.prove().balances)
    }

    @Test("each search after a damaged place is progress, and the last search when the gateway stops")
    func looks() throws {
        try fill()
        let calls = Mutex(0)
        let isStopped = Mutex(false)
        let old = try #require(
            try DamagedJournal(path) {
                calls.withLock { $0 += 1 }
                return isStopped.withLock { $0 }
            })
        var cursor: Int64 = 0
        var portions = 0
        while let last = try old.rows(after: cursor, limit: 1_000, below: 5_000)?.last {
            cursor = last.n
            portions += 1
        }
        #expect(cursor == 4_999)
        #expect(calls.withLock { $0 } > portions + 10, "places that cannot be read are looked at one by one")
        isStopped.withLock { $0 = true }
        calls.withLock { $0 = 0 }
        #expect(throws: JournalError.self) { try old.rows(after: 0, limit: 1_000, below: 5_000) }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test(
        "without room for the copy, older damaged files go; without these, the need is logged")
    func noRoom() throws {
        let numbers = try fill()
        let file = try JournalFile(path: path)
        let quarantine = Quarantine(file: file)
        try FileManager.default.createDirectory(
            atPath: scene.folder.path("state/corrupt"), withIntermediateDirectories: true)
        let older = scene.folder.path("state/corrupt/journal.db.1")
        try Data(count: 10_000).write(to: URL(fileURLWithPath: older))
        try quarantine.begin()
        let store = try JournalStore(scene.configuration, file: file, clock: .system)
        try store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 40") }
        let error = #expect(throws: JournalError.self) { try Salvage(from: file, memory: nil).run(into: store) }
        #expect(error?.description.contains("no room for a copy of what can be read") == true)
        #expect(access(older, F_OK) != 0)
        #expect(access(scene.folder.path("state/corrupt/journal.db.2"), F_OK) == 0)
        try store.pool.close()
        file.release()
        let journal = try scene.open()
        try expect(numbers, in: journal)
        journal.close()
        #expect(try scene.prove().balances)
    }

    @Test("damaged files take no more than the journal may, but the newest is kept")
    func pruning() throws {
        let file = try JournalFile(path: path)
        defer { file.release() }
        let corrupt = scene.folder.path("state/corrupt")
        try FileManager.default.createDirectory(atPath: corrupt, withIntermediateDirectories: true)
        for number in 1...4 {
            try Data(count: 1_000).write(to: URL(fileURLWithPath: "\(corrupt)/journal.db.\(number)"))
        }
        try Data(count: 500).write(to: URL(fileURLWithPath: "\(corrupt)/journal.db.3-wal"))
        Quarantine(file: file).prune(to: 2_600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: corrupt).sorted().suffix(3) == [
                "journal.db.3", "journal.db.3-wal", "journal.db.4",
            ])
        #expect(access("\(corrupt)/journal.db.2", F_OK) != 0)
        Quarantine(file: file).prune(to: 10)
        #expect(try FileManager.default.contentsOfDirectory(atPath: corrupt) == ["journal.db.4"])
    }

    @Test("the removal of the lock file admits no other process: the gateway takes the lock again")
    func lock() throws {
        let journal = try scene.open()
        journal.append([Sample.temperature(1)])
        journal.commitNow()
        unlink(path + ".lock")
        journal.append([Sample.temperature(2)])
        journal.commitNow()
        #expect(throws: JournalError.inUse(path: path)) { try JournalFile(path: path) }
        #expect(try journal.rows(after: 0, limit: 10).count == 2)
        #expect(journal.statistics.received == 2)
        journal.close()
        #expect(try scene.prove().balances)
    }

    @Test("a full audit beside a gateway reads in portions, and finds damage all the same")
    func auditBeside() throws {
        try fill()
        let held = try JournalFile(path: path)
        let audit = try? Audit(path: path, full: true)
        #expect(audit == nil || audit?.balances == false)
        #expect(try JournalReader(path: path).integrity() != ["ok"])
        held.release()
        let journal = try scene.open()
        #expect(try JournalReader(path: path).integrity() == ["ok"])
        #expect(try scene.prove().integrity == "ok")
        journal.close()
    }

    @Test(
        "SQLite's error decides whether a place is damaged or to be tried again",
        arguments: [
            (ResultCode.SQLITE_CORRUPT, true), (.SQLITE_NOTADB, true), (.SQLITE_ERROR, true),
            (.SQLITE_IOERR_READ, true), (.SQLITE_IOERR_SHORT_READ, true), (.SQLITE_IOERR_SHMSIZE, false),
            (.SQLITE_IOERR_WRITE, false), (.SQLITE_FULL, false), (.SQLITE_CANTOPEN, false), (.SQLITE_BUSY, false),
        ])
    func verdicts(_ code: ResultCode, _ isDamage: Bool) {
        let read = Result { _ = try DamagedJournal.readable { throw DatabaseError(resultCode: code) } as Int? }
        #expect(((try? read.get()) != nil) == isDamage, "\(code)")
    }
}
