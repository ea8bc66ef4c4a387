// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Readings

/// Gateways that stop while their journal cannot be written.
@Suite("Losses of a stop")
struct StoppedLossTests {
    private let scene: JournalScene

    init() throws { scene = try JournalScene() }

    private func reopened() throws -> JournalStatistics {
        let journal = try scene.open()
        journal.commitNow()
        defer { journal.close() }
        return journal.statistics
    }

    @Test("losses of a stop are logged, and in the counts of the next run, by sensor and once")
    func stopped() throws {
        let journal = try scene.open { $0.queueCapacity = 7 }
        journal.append(JournalScene.readings(3))
        journal.commitNow()
        var blocking = Configuration()
        blocking.allowsUnsafeTransactions = true
        let blocker = try DatabaseQueue(path: scene.path, configuration: blocking)
        try blocker.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
        journal.append(JournalScene.readings(9))
        journal.close()
        #expect(
            scene.log.text.contains("readings lost: the last commit failed journal.noted=the next start counts them"))
        #expect(scene.log.text.contains("journal.waiting=7"))
        let books = journal.statistics
        #expect(books.waiting == 0)
        #expect(books.dropped == ["stopped": 7, "queue-full": 2])
        #expect(books.balances)
        try blocker.inDatabase { try $0.execute(sql: "ROLLBACK") }
        try blocker.close()
        for _ in 0..<2 {
            let books = try reopened()
            #expect(books.received == 12)
            #expect(books.buffered == 3)
            #expect(books.dropped == ["stopped": 7, "queue-full": 2])
        }
        let audit = try scene.prove()
        #expect(audit.balances)
        #expect(audit.sensors.map(\.received) == [4, 4, 4])
    }

    @Test("losses of several stops add up until the journal can be opened")
    func several() throws {
        try scene.fill(10)
        try scene.execute("INSERT INTO grdb_migrations VALUES ('99')")
        for count in [3, 2] {
            let journal = try scene.open()
            journal.append(JournalScene.readings(count))
            journal.close()
        }
        try scene.execute("DELETE FROM grdb_migrations WHERE identifier = '99'")
        #expect(try reopened().dropped == ["stopped": 5])
        #expect(try reopened().dropped == ["stopped": 5])
        #expect(try scene.prove().balances)
    }

    @Test("a record already in the counts is not counted again")
    func once() throws {
        try scene.fill(10)
        for _ in 0..<2 {
            let file = try JournalFile(path: scene.path)
            #expect(file.leave([.stopped: ["a": 4]], id: "boot-1", isAll: true))
            file.release()
            #expect(try reopened().dropped == ["stopped": 4])
            #expect(try JournalFile(path: scene.path).losses.isEmpty)
        }
    }

    @Test("only the records after the last counted record are counted")
    func after() throws {
        try scene.fill(10)
        let file = try JournalFile(path: scene.path)
        #expect(file.leave([.stopped: ["a": 4]], id: "boot-1", isAll: true))
        file.release()
        #expect(try reopened().dropped == ["stopped": 4])
        // As after a power cut before the first was forgotten, and a stop while the journal could not be opened.
        let again = try JournalFile(path: scene.path)
        #expect(again.leave([.stopped: ["a": 4]], id: "boot-1", isAll: true))
        #expect(again.leave([.stopped: ["a": 2]], id: "boot-2", isAll: false))
        again.release()
        #expect(try reopened().dropped == ["stopped": 6])
        #expect(try reopened().dropped == ["stopped": 6])
        #expect(try scene.prove().balances)
    }

    @Test("records come back as they were written; an incomplete record counts as none")
    func record() {
        let records = [
            LossRecord(id: "5e0c91aa-77", losses: [.stopped: ["a": 4, "living room": 2], .queueFull: ["": 9_000]]),
            LossRecord(id: "5e0c91aa-78", losses: [.stopped: ["end": 1]]),
        ]
        let octets = LossRecord.octets(of: records)
        #expect(LossRecord.records(in: octets) == records)
        let first = LossRecord.octets(of: [records[0]]).count
        for count in 0..<octets.count {
            #expect(LossRecord.records(in: Array(octets.prefix(count))) == Array(records.prefix(count < first ? 0 : 1)))
        }
        #expect(LossRecord.records(in: Array("losses x\n-1 stopped a\nend\n".utf8)).isEmpty)
        let broken = LossRecord(id: "x", losses: [.stopped: ["a\nend": 2, "b": 1]])
        #expect(
            LossRecord.records(in: LossRecord.octets(of: [broken])) == [
                LossRecord(id: "x", losses: [.stopped: ["": 2, "b": 1]])
            ], "a name with a line break is told without its name")
    }

    @Test("sensors and stops beyond the maximum are counted together", arguments: [1, 3, 40])
    func many(stops: Int) {
        let devices = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("sensor-\($0)", $0 + 1) })
        let octets = LossRecord.octets(
            of: (0..<stops).map { LossRecord(id: "x\($0)", losses: [.stopped: devices, .queueFull: devices]) })
        #expect(LossRecord.offset + octets.count <= 4_096)
        let read = LossRecord.records(in: octets)
        #expect(read.last?.id == "x\(stops - 1)")
        for reason in [DropReason.stopped, .queueFull] {
            let count = read.flatMap { ($0.losses[reason] ?? [:]).values }.reduce(0, +)
            #expect(count == stops * 500_500)
        }
    }
}
