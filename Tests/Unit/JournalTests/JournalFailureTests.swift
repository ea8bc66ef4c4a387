// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Glibc
import Platform
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Readings

/// Unwritable places: collection continues in memory, and recovers by itself.
@Suite("Failures of the journal's disk")
struct JournalFailureTests {
    private let folder: TestFolder
    private let configuration: JournalConfiguration
    private let log = LogLines()

    init() throws {
        folder = try TestFolder()
        configuration = JournalConfiguration(
            path: folder.path("state/journal.db"), commitRows: 10, commitInterval: .seconds(3_600), durability: .fast,
            queueCapacity: 20)
    }

    private func open() throws -> Journal { try Journal(configuration, clock: .system, logger: log.logger) }

    @Test(
        "without a place to write, readings wait in memory, are dropped and counted beyond its bound, and written later"
    )
    func noPlace() async throws {
        // A file where the folder should be.
        let place = folder.path("state")
        try Data().write(to: URL(fileURLWithPath: place))
        let journal = try open()
        #expect(journal.statistics.problem?.contains("cannot be written") == true)
        let told = Mutex<[Bool]>([])
        journal.append((0..<15).map { Sample.temperature($0) }) { durable in told.withLock { $0.append(durable) } }
        journal.append((15..<25).map { Sample.temperature($0) }) { durable in told.withLock { $0.append(durable) } }
        #expect(await eventually { told.withLock { $0 } == [false] }, "nobody is told that it is durable")
        #expect(journal.statistics.waiting == 20)
        #expect(journal.statistics.dropped == ["queue-full": 5])
        #expect(journal.statistics.balances)
        #expect(try journal.rows(after: 0, limit: 10).isEmpty)
        #expect(try journal.boots().isEmpty)
        #expect(try journal.firstRow(ofBoot: "x", sinceUptime: 0) == nil)
        #expect(log.text.contains("readings wait in memory"))
        let observed = Counter()
        journal.setCommitObserver { observed.increment() }
        try FileManager.default.removeItem(atPath: place)
        #expect(await eventually { journal.statistics.waiting == 0 })
        #expect(told.withLock { $0 } == [false, true])
        #expect(observed.value == 1)
        #expect(journal.statistics.problem == nil)
        #expect(try journal.rows(after: 0, limit: 100).map { $0.value.first } == (0..<20).map { UInt8($0) })
        #expect(log.text.contains("journal writes again"))
        journal.close()
        let audit = try Audit(path: configuration.path, full: true)
        #expect(audit.balances)
        #expect(audit.total.dropped == ["queue-full": 5])
    }

    @Test("a journal of a newer version is not touched, and collection goes on in memory")
    func newer() throws {
        try open().close()
        let queue = try DatabaseQueue(path: configuration.path)
        try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99')") }
        try queue.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: configuration.path))
        let journal = try open()
        journal.append((0..<30).map { Sample.temperature($0) })
        #expect(journal.statistics.problem?.contains("newer version") == true)
        #expect(journal.statistics.waiting == 20)
        #expect(journal.statistics.balances)
        journal.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: configuration.path)) == before)
        #expect(!FileManager.default.fileExists(atPath: folder.path("state/corrupt")))
        #expect(throws: JournalError.newer(path: configuration.path)) {
            try Audit(path: configuration.path, full: false)
        }
    }

    @Test(
        "unwritable places are reported in words, and stop nothing",
        arguments: ["/proc/nowhere/journal.db", "/proc/version/journal.db", "."])
    func unwritable(_ place: String) throws {
        var configuration = configuration
        configuration.path = place == "." ? folder.path : place
        let journal = try Journal(configuration, clock: .system, logger: log.logger)
        journal.append([Sample.temperature(1)])
        #expect(journal.isFailing)
        #expect(log.text.contains("cannot be"))
        #expect(journal.statistics.waiting == 1)
        journal.close()
        #expect(log.text.contains("readings lost"))
    }

    @Test("while a disk fails, delivered rows are remembered in little room, and not read again")
    func settledWhileFailing() async throws {
        let journal = try open()
        for start in stride(from: 0, to: 100, by: 10) {
            journal.append((start..<(start + 10)).map { Sample.temperature(Int16($0)) })
            journal.queue.sync {}
        }
        #expect(await eventually { journal.statistics.committed == 100 })
        var blocking = Configuration()
        blocking.allowsUnsafeTransactions = true
        let blocker = try DatabaseQueue(path: configuration.path, configuration: blocking)
        try await blocker.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        journal.acknowledge(Array(1...40))
        journal.requestCommit()
        #expect(await eventually { journal.isFailing })
        for n in stride(from: 41, through: 90, by: 2) { journal.acknowledge([Int64(n)]) }
        for n in stride(from: 42, through: 90, by: 2) { journal.acknowledge([Int64(n)]) }
        #expect(try journal.rows(after: 0, limit: 5).map(\.n) == [91, 92, 93, 94, 95])
        #expect(journal.state.withLock { $0.batches.waiting.acknowledged.runs.count } <= 1)
        try await blocker.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        #expect(
            await eventually {
                // Readings that arrive during the successful attempt would wait for the end of the interval, which is an hour here.
                journal.requestCommit()
                return journal.statistics.delivered == 90
            },
            "\(journal.statistics) \(log.text)")
        journal.close()
    }
}
