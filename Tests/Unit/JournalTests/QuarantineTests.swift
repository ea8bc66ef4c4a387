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

/// Damaged files: the journal moves them away, and copies their readable rows to a new file.
@Suite("Quarantine")
struct QuarantineTests {
    private let scene: JournalScene

    init() throws { scene = try JournalScene() }

    private var path: String { scene.path }
    private var corrupt: String { scene.corrupt }

    @Test("a file that is no database is put away, a new file begins, and numbers continue")
    func garbage() throws {
        try scene.fill(50)
        let octets = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try octets.write(to: URL(fileURLWithPath: path))
        let journal = try scene.open()
        #expect(scene.log.text.contains("a fresh one was begun"))
        #expect(scene.log.text.contains("journal.lost=not known"))
        #expect(journal.statistics.problem == nil)
        #expect(journal.statistics.balances)
        journal.append([Sample.temperature(1)])
        journal.commitNow()
        #expect(try journal.rows(after: 0, limit: 10).map { $0.n > 50 } == [true])
        journal.close()
        let names = try scene.quarantined()
        #expect(names.contains("journal.db.1") && !names.contains("journal.db.2"), "\(names)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: corrupt + "/journal.db.1")) == octets)
        #expect(try scene.prove().balances)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
    }

    @Test("readable rows of a damaged file keep their numbers, and lost rows are counted by sensor")
    func salvage() throws {
        try scene.fill(3_000)
        let before = try scene.prove()
        // Two adjacent pages of rows in the middle.
        try scene.damage(pages: [20, 21])
        let journal = try scene.open()
        let rows = try journal.rows(after: 0, limit: 10_000)
        let lost = before.total.buffered - rows.count
        #expect((50...400).contains(lost))
        #expect(rows.allSatisfy { $0.n % 10 != 0 && $0.value.first == UInt8(truncatingIfNeeded: $0.n - 1) })
        #expect(rows.last?.n == 2_999)
        #expect(try rows.allSatisfy { try journal.deviceName($0.device) == ["a", "b", "c"][Int($0.n - 1) % 3] })
        #expect(journal.statistics.dropped == ["corrupt": lost])
        #expect(journal.statistics.delivered == 300)
        #expect(journal.statistics.balances)
        #expect(journal.identifier(for: "fact") == "1")
        journal.append([Sample.temperature(1)])
        journal.close()
        let after = try scene.prove()
        #expect(after.balances)
        #expect(after.total.received == 3_001)
        #expect(after.sensors.filter { ["a", "b", "c"].contains($0.device) }.map(\.received) == [1_000, 1_000, 1_000])
        let again = try scene.open()
        #expect(try again.rows(after: 3_000, limit: 10).count == 1)
        again.close()
    }

    @Test(
        "with any damaged table, the journal opens, balances, and reuses no number",
        arguments: [
            "reading", "ledger", "loss", "device", "sqlite_autoindex_device_1", "boot", "counter", "sqlite_sequence",
        ])
    func tables(_ table: String) throws {
        try scene.fill(200)
        try scene.damage(pages: [try scene.root(of: table)])
        let journal = try scene.open()
        #expect(journal.statistics.problem == nil)
        #expect(journal.statistics.balances)
        if ["ledger", "loss", "device", "sqlite_autoindex_device_1", "counter", "sqlite_sequence"].contains(table) {
            #expect(journal.statistics.buffered == 180, "all rows are there")
        }
        for row in try journal.rows(after: 0, limit: 1_000) {
            #expect(try journal.deviceName(row.device) == ["a", "b", "c"][Int(row.n - 1) % 3])
        }
        journal.append([Sample.temperature(1)])
        journal.commitNow()
        #expect(try journal.rows(after: 200, limit: 10).count == 1)
        journal.close()
        #expect(try scene.prove().balances)
    }

    @Test("damage at any page ends nothing")
    func anyPage() throws {
        try scene.fill(400)
        let original = try Data(contentsOf: URL(fileURLWithPath: path))
        for page in 1...(original.count / JournalScene.page) {
            for octet in [0, 0xFF] as [UInt8] {
                try original.write(to: URL(fileURLWithPath: path))
                try scene.damage(pages: [page], with: octet)
                let journal = try scene.open()
                #expect(journal.statistics.balances, "page \(page)")
                journal.append([Sample.temperature(1)])
                journal.close()
                #expect(
                    journal.statistics.dropped["stopped"] == nil, "page \(page): \(journal.statistics.problem ?? "")")
            }
        }
        #expect(try scene.quarantined().count <= Quarantine.kept)
    }

    @Test("flipped bits end nothing, and keep no reader busy for ever", arguments: 0..<8)
    func flippedBits(_ seed: Int) throws {
        try scene.fill(400)
        let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<25 {
            var octets = original
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                octets[Int.random(in: 100..<octets.count, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
            }
            try Data(octets).write(to: URL(fileURLWithPath: path))
            let journal = try scene.open()
            journal.append([Sample.temperature(1)])
            var cursor: Int64 = 0
            while let last = try? journal.rows(after: cursor, limit: 50).last {
                #expect(last.n > cursor)
                cursor = last.n
            }
            journal.acknowledge([1, 2, 3])
            _ = journal.purge()
            journal.close()
            _ = try? scene.prove()
            _ = try? JournalPages(path: path).readToEnd()
        }
    }

    @Test("damage during the run is handled during the run: waiting rows are written, and the counts continue")
    func whileRunning() async throws {
        try scene.fill(3_000)
        let journal = try scene.open()
        #expect(journal.statistics.buffered == 2_700)
        try scene.damage(pages: [20, 21])
        try journal.forgetPages()
        // The damage is found when rows are read, or deleted.
        journal.append([Sample.temperature(1)])
        journal.acknowledge((1...3_000).filter { $0 % 10 != 0 })
        journal.requestCommit()
        #expect(await eventually { journal.statistics.waiting == 0 && journal.statistics.delivered > 2_000 })
        let books = journal.statistics
        #expect(books.problem == nil)
        #expect(books.received == 3_001)
        #expect(try scene.quarantined().contains("journal.db.1"))
        #expect(books.delivered + (books.dropped["corrupt"] ?? 0) == 3_000)
        #expect(try journal.rows(after: 0, limit: 10).map { $0.n > 3_000 } == [true])
        #expect(books.balances)
        journal.close()
        #expect(try scene.prove().balances)
    }

    @Test("a file found damaged during the run is put away once, however often its copy fails")
    func copyFails() throws {
        try scene.fill(3_000)
        let journal = try scene.open()
        try scene.damage(pages: [20, 21])
        try journal.forgetPages()
        // SQLite cannot make its index of the log.
        try FileManager.default.createDirectory(atPath: corrupt, withIntermediateDirectories: true)
        let obstacle = corrupt + "/journal.db.1-shm"
        try FileManager.default.createSymbolicLink(atPath: obstacle, withDestinationPath: "/nowhere/at-all")
        journal.append([Sample.temperature(1)])
        journal.acknowledge((1...3_000).filter { $0 % 10 != 0 })
        for _ in 0..<6 { journal.queue.sync { journal.commit() } }
        #expect(journal.statistics.problem != nil)
        #expect(try scene.quarantined().filter { !$0.hasSuffix("-wal") } == ["journal.db.1"])
        try FileManager.default.removeItem(atPath: obstacle)
        journal.queue.sync { journal.commit() }
        let books = journal.statistics
        #expect(books.problem == nil)
        #expect(books.received == 3_001)
        #expect(books.delivered > 2_000)
        #expect(books.delivered + (books.dropped["corrupt"] ?? 0) == 3_000)
        journal.close()
        #expect(try scene.prove().balances)
    }

    @Test("a half filled file's source is not among the damaged files that go")
    func chainIsSpared() throws {
        try scene.fill(100)
        for _ in 0..<(2 * Quarantine.kept) { try scene.putAway() }
        #expect(try scene.quarantined().contains("journal.db.1"))
        let journal = try scene.open()
        #expect(journal.statistics.buffered == 90)
        #expect(journal.statistics.received == 100)
        journal.close()
        // None of them is needed now.
        try scene.putAway()
        #expect(try scene.quarantined().filter { !$0.hasSuffix("-wal") }.count == Quarantine.kept)
    }

    @Test("a power cut at any step of putting a file away loses nothing", arguments: 0..<5)
    func interrupted(_ step: Int) throws {
        try scene.fill(100)
        let quarantine = Quarantine(file: try JournalFile(path: path))
        let kept = try Data(contentsOf: URL(fileURLWithPath: path))
        try Data("log".utf8).write(to: URL(fileURLWithPath: path + "-wal"))
        try quarantine.begin()
        quarantine.file.release()
        // Undo the last steps: the fresh file's name, the database, its log.
        let manager = FileManager.default
        if step < 4 { try manager.moveItem(atPath: path, toPath: path + ".new") }
        if step < 3 { try manager.moveItem(atPath: corrupt + "/journal.db.1", toPath: path) }
        if step < 2 { try manager.moveItem(atPath: corrupt + "/journal.db.1-wal", toPath: path + "-wal") }
        if step < 1 { try manager.moveItem(atPath: path + ".new", toPath: path + ".new.draft") }
        if step == 0 { try manager.removeItem(atPath: path + "-wal") }
        let journal = try scene.open()
        #expect(try journal.rows(after: 0, limit: 200).count == 90)
        #expect(journal.statistics.received == 100)
        #expect(journal.statistics.balances)
        journal.close()
        #expect(try scene.prove().balances)
        if step > 0 {
            #expect(try Data(contentsOf: URL(fileURLWithPath: corrupt + "/journal.db.1")).count >= kept.count)
        }
    }

    @Test(
        "a file removed under a running gateway begins anew, with continued numbers",
        arguments: [false, true])
    func removed(_ withFolder: Bool) async throws {
        let journal = try scene.open()
        journal.append((0..<10).map { Sample.temperature($0) })
        journal.commitNow()
        journal.acknowledge([1])
        journal.commitNow()
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        if withFolder { try FileManager.default.removeItem(atPath: scene.folder.path("state")) }
        journal.append([Sample.temperature(11)])
        journal.requestCommit()
        #expect(await eventually { journal.statistics.waiting == 0 })
        #expect(try journal.rows(after: 0, limit: 10).map { $0.n > 10 } == [true])
        let books = journal.statistics
        #expect(books.received == 11)
        #expect(books.delivered == 1)
        #expect(books.dropped == ["corrupt": 9])
        #expect(books.balances)
        journal.close()
        #expect(try scene.prove().balances)
    }

    @Test("an old copy of the journal in its place does not make numbers go back")
    func oldCopy() throws {
        try scene.fill(10)
        let copy = try Data(contentsOf: URL(fileURLWithPath: path))
        try scene.fill(10)
        try copy.write(to: URL(fileURLWithPath: path))
        let journal = try scene.open()
        journal.append([Sample.temperature(1)])
        journal.commitNow()
        #expect(try journal.rows(after: 10, limit: 10).map(\.n) == [21])
        // The old copy now replaces the file during the run.
        try copy.write(to: URL(fileURLWithPath: path), options: .atomic)
        unlink(path + "-wal")
        journal.append([Sample.temperature(1)])
        journal.close()
        #expect(try scene.prove().balances)
        let again = try scene.open()
        #expect(try again.rows(after: 10, limit: 10).map(\.n) == [22])
        again.close()
    }

    @Test("an old copy of the file leaves out the numbers reserved before the kill")
    func oldCopyAfterKill() throws {
        try scene.fill(10)
        let file = try JournalFile(path: path)
        try file.reserve(upTo: 5_000_000)
        file.record(.init(number: 4_000_000, rows: 12))
        file.release()
        let journal = try scene.open()
        journal.append([Sample.temperature(1)])
        journal.close()
        let again = try scene.open()
        #expect(try again.rows(after: 10, limit: 10).map { $0.n > 5_000_000 } == [true])
        again.close()
        #expect(try JournalFile(path: path + "2").reserved == nil)
    }

    @Test("after a disorderly stop, the right file continues with the next number")
    func rightFileAfterKill() throws {
        var configuration = scene.configuration
        configuration.durability = .powerSafe
        let file = try JournalFile(path: path)
        try file.make()
        let store = try JournalStore(configuration, file: file, clock: .system)
        var batch = JournalState.Batch()
        batch.readings = (0..<5).map { Sample.temperature($0) }
        _ = try store.commit(batch, buffered: 0)
        try store.pool.close()
        file.release()
        let journal = try Journal(configuration, clock: .system, logger: scene.log.logger)
        journal.append([Sample.temperature(9)])
        journal.close()
        let again = try Journal(configuration, clock: .system, logger: scene.log.logger)
        let numbers = try again.rows(after: 0, limit: 10).map(\.n)
        #expect(numbers == [1, 2, 3, 4, 5, 6])
        again.close()
    }

    @Test("after a disorderly stop, numbers of an old copy are not reused, however small its lag is")
    func oldCopyAfterUse() throws {
        try scene.fill(10)
        let copy = try Data(contentsOf: URL(fileURLWithPath: path))
        // A gateway that assigns row numbers, and is killed.
        let file = try JournalFile(path: path)
        let store = try JournalStore(scene.configuration, file: file, clock: .system)
        var batch = JournalState.Batch()
        batch.readings = (0..<500).map { Sample.temperature($0) }
        _ = try store.commit(batch, buffered: 10)
        let given = store.greatest.withLock { $0 }
        try store.pool.close()
        file.release()
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        try copy.write(to: URL(fileURLWithPath: path))
        let journal = try scene.open()
        journal.append([Sample.temperature(1)])
        journal.commitNow()
        #expect(try journal.rows(after: 10, limit: 10).map { $0.n > given } == [true])
        journal.close()
    }

    @Test(
        "with any content of the lock file, the journal opens",
        arguments: ["", "x", "12", "99 ", "-5 closed\n", " \n \n", "9223372036854775807 open\n"])
    func mark(_ text: String) throws {
        try scene.fill(10)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + ".lock"))
        let journal = try scene.open()
        journal.append([Sample.temperature(1)])
        journal.close()
        #expect(try JournalFile(path: path).reserved == NumberMarks.Reservation(number: 11, isExact: true))
    }
}
