// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Platform
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Readings

/// The books by sensor, as they are on disk and as `martlet audit` reads them.
@Suite("Ledger")
struct LedgerTests {
    private let folder: TestFolder
    private let configuration: JournalConfiguration

    init() throws {
        folder = try TestFolder()
        configuration = JournalConfiguration(
            path: folder.path("journal.db"), commitRows: 1_000_000, commitInterval: .seconds(3_600), durability: .fast)
    }

    private func open(_ change: (inout JournalConfiguration) -> Void = { _ in }) throws -> Journal {
        var configuration = configuration
        change(&configuration)
        return try Journal(configuration, clock: .system, logger: Sample.logger)
    }

    private func readings(_ range: Range<Int>, of device: String) -> [Reading] {
        range.map { Sample.temperature(Int16($0), device: device) }
    }

    private func prove(full: Bool = false) throws -> Audit { try Audit(path: configuration.path, full: full) }

    /// A file of version 1, with rows of two sensors.
    private func writeOldJournal(_ counters: [String: Int], extra: String = "") throws {
        let queue = try DatabaseQueue(path: configuration.path)
        try JournalSchema.migrator.migrate(queue, upTo: "1")
        try queue.write { db in
            try db.execute(sql: "INSERT INTO device VALUES (1, 'a'), (2, 'b')")
            try db.execute(sql: "INSERT INTO characteristic VALUES (1, '2a6e'); INSERT INTO boot VALUES (1, 'x', 7)")
            for device in [1, 1, 2] {
                try db.execute(
                    sql: "INSERT INTO reading VALUES (NULL, ?, 1, 1, NULL, 1, 5, NULL, 3, x'00')", arguments: [device])
            }
            for (name, value) in counters {
                try db.execute(sql: "INSERT INTO counter VALUES (?, ?)", arguments: [name, value])
            }
            try db.execute(sql: extra)
        }
        try queue.close()
    }

    @Test("the schema's number is that of its newest migration")
    func schemaVersion() {
        #expect(JournalSchema.migrator.migrations == (1...JournalSchema.version).map(String.init))
    }

    @Test("a path that is no file causes no wait")
    func pipe() {
        #expect(mkfifo(configuration.path, 0o600) == 0)
        #expect(throws: JournalError.failed(path: configuration.path, reason: "it is no file")) { try prove() }
    }

    @Test("the counts of each sensor balance, across restarts, and the audit proves it beside the running gateway")
    func sensors() async throws {
        let journal = try open { $0.queueCapacity = 7 }
        journal.append(readings(0..<3, of: "a") + readings(0..<4, of: "b") + readings(0..<2, of: "c"))
        journal.countGap(of: "b", missing: 5)
        journal.requestCommit()
        #expect(await eventually { journal.statistics.committed == 7 })
        journal.acknowledge([1, 2, 4])
        journal.drop([3, 5], reason: .coalesced)
        journal.requestCommit()
        #expect(await eventually { journal.statistics.delivered == 3 })
        let beside = try prove()
        #expect(beside.balances)
        journal.close()
        let again = try open()
        again.append(readings(0..<1, of: "a"))
        again.close()
        let audit = try prove(full: true)
        #expect(audit.balances)
        #expect(audit.integrity == "ok")
        #expect(audit.sensors.map(\.device) == ["a", "b", "c"])
        #expect(audit.sensors.map(\.received) == [4, 4, 2])
        #expect(audit.sensors.map(\.delivered) == [2, 1, 0])
        #expect(audit.sensors.map(\.buffered) == [1, 2, 0])
        #expect(audit.sensors.map(\.dropped) == [["coalesced": 1], ["coalesced": 1], ["queue-full": 2]])
        #expect(audit.sensors.map(\.missing) == [0, 5, 0])
        #expect(audit.total.received == 10)
        #expect(
            audit.sensors
                == beside.sensors.map { account in
                    var account = account
                    if account.device == "a" {
                        account.received += 1
                        account.buffered += 1
                    }
                    return account
                })
    }

    @Test("the counts of each sensor include given-up and missing readings before they are on disk, and once")
    func sensorBooks() async throws {
        let journal = try open { $0.queueCapacity = 2 }
        journal.append(readings(0..<3, of: "a"))
        journal.countGap(of: "b", missing: 5)
        #expect(journal.sensorBooks["a"]?.dropped == ["queue-full": 1] && journal.sensorBooks["a"]?.received == 1)
        #expect(journal.sensorBooks["b"]?.missing == 5)
        journal.requestCommit()
        #expect(await eventually { journal.statistics.committed == 2 })
        #expect(journal.sensorBooks["a"]?.dropped == ["queue-full": 1] && journal.sensorBooks["a"]?.received == 3)
        #expect(journal.sensorBooks["b"]?.missing == 5)
        let books = journal.sensorBooks
        journal.close()
        let file = try JournalStatistics(readingFrom: configuration.path, clock: .system)
        #expect(file.sensors == books && file.missing == 5 && file.balances)
        #expect(throws: JournalError.self) {
            try JournalStatistics(readingFrom: configuration.path + ".lock", clock: .system)
        }
    }

    @Test("the audit names a sensor with unbalanced counts, and SQLite's finds of damage")
    func unbalanced() throws {
        let journal = try open()
        journal.append(readings(0..<5, of: "a") + readings(0..<5, of: "b"))
        journal.close()
        let queue = try DatabaseQueue(path: configuration.path)
        try queue.write {
            try $0.execute(sql: "DELETE FROM reading WHERE n = 2; UPDATE ledger SET delivered = 9 WHERE device = 2")
        }
        let audit = try prove()
        #expect(!audit.balances)
        #expect(
            audit.complaints == [
                "sensor a: 1 received readings are nowhere", "sensor b: 9 more readings than were received",
            ])
        try queue.write { try $0.execute(sql: "UPDATE ledger SET received = 'abc'") }
        #expect(try prove().complaints.contains("no count: received of device 1"))
        let again = try open()
        #expect(again.statistics.balances, "what is no count begins again with what there is")
        again.close()
        #expect(try prove().balances)
    }

    @Test("a file that is no journal is not audited", arguments: ["", "text", "other"])
    func nothingToAudit(_ kind: String) throws {
        if kind == "text" { try Data(repeating: 7, count: 9_000).write(to: URL(fileURLWithPath: configuration.path)) }
        if kind == "other" {
            try DatabaseQueue(path: configuration.path).write { try $0.execute(sql: "CREATE TABLE x (y)") }
        }
        #expect(throws: JournalError.self) { try prove() }
    }

    @Test("a journal of the former version keeps its totals: rows of no known sensor are reported")
    func migration() throws {
        try writeOldJournal([
            "received": 20, "committed": 18, "delivered": 13, "dropped:queue-full": 2, "dropped:journal-full": 2,
        ])
        #expect(throws: JournalError.self) { try prove() }
        let journal = try open()
        var books = journal.statistics
        #expect(books.received == 20)
        #expect(books.committed == 18)
        #expect(books.delivered == 13)
        #expect(books.dropped == ["queue-full": 2, "journal-full": 2])
        #expect(books.buffered == 3)
        #expect(books.balances)
        journal.acknowledge([1, 2, 3])
        journal.append(readings(0..<1, of: "a"))
        journal.close()
        let audit = try prove()
        #expect(audit.balances)
        #expect(audit.sensors.map(\.device) == ["a", "b", nil])
        #expect(audit.sensors.map(\.received) == [3, 1, 17])
        #expect(audit.sensors.map(\.delivered) == [2, 1, 13])
        books = try open().statistics
        #expect(books.received == 21)
        #expect(books.delivered == 16)
        #expect(books.balances)
    }

    @Test("unbalanced totals stay unbalanced after the migration, and damaged totals start again")
    func oldImbalance() throws {
        try writeOldJournal(["received": 2, "delivered": 1])
        try open().close()
        #expect(try prove().complaints == ["readings without a sensor: 2 more readings than were received"])
        try FileManager.default.removeItem(atPath: configuration.path)
        try writeOldJournal(
            ["received": 2, "delivered": 1], extra: "UPDATE counter SET value = 'x' WHERE name = 'received'")
        try open().close()
        #expect(try prove().balances)
    }

    @Test("a failed commit changes no counts")
    func failure() async throws {
        let journal = try open()
        journal.append(readings(0..<4, of: "a"))
        journal.requestCommit()
        #expect(await eventually { journal.statistics.committed == 4 })
        var blocking = Configuration()
        blocking.allowsUnsafeTransactions = true
        let blocker = try DatabaseQueue(path: configuration.path, configuration: blocking)
        try await blocker.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        journal.append(readings(4..<6, of: "a"))
        journal.acknowledge([1])
        journal.requestCommit()
        #expect(await eventually { journal.isFailing })
        try await blocker.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        #expect(try prove().balances)
        #expect(journal.statistics.balances)
        journal.close()
        let audit = try prove()
        #expect(audit.total.received == 6)
        #expect(audit.total.delivered == 1)
        #expect(audit.balances)
    }

    @Test("a purge drops the rows on disk and counts them")
    func purge() async throws {
        let journal = try open()
        #expect(journal.purge() == 0)
        journal.append(readings(0..<4, of: "a") + readings(0..<2, of: "b"))
        journal.requestCommit()
        #expect(await eventually { journal.statistics.committed == 6 })
        journal.acknowledge([1])
        #expect(journal.purge() == 5)
        #expect(try journal.rows(after: 0, limit: 10).isEmpty)
        journal.append(readings(0..<1, of: "a"))
        journal.close()
        let audit = try prove()
        #expect(audit.balances)
        #expect(audit.sensors.map(\.dropped) == [["purged": 3], ["purged": 2]])
        #expect(audit.total.buffered == 1)
        #expect(journal.purge() == nil)
    }
}
