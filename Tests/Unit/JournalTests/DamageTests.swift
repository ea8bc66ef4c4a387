// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GRDB
import Platform
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Publisher
@testable import Readings

/// Journals with another program's writes: they open, and report the omitted rows.
@Suite("Damaged journals")
struct DamageTests {
    private let folder: TestFolder
    private let configuration: JournalConfiguration
    private let log = LogLines()

    init() throws {
        folder = try TestFolder()
        configuration = JournalConfiguration(
            path: folder.path("journal.db"), commitRows: 10, commitInterval: .seconds(3_600), durability: .fast)
    }

    /// A journal with five readings, after the change by `sql`. One reading was delivered.
    private func damaged(by sql: String) throws -> Journal {
        let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        journal.append((0..<5).map { Sample.temperature($0) })
        journal.close()
        let second = try Journal(configuration, clock: .system, logger: Sample.logger)
        second.acknowledge([1])
        second.close()
        try DatabaseQueue(path: configuration.path).write { try $0.execute(sql: sql) }
        return try Journal(configuration, clock: .system, logger: log.logger)
    }

    @Test(
        "an invalid value is left out and named, and the journal continues with balanced counts",
        arguments: [
            ("UPDATE ledger SET received = 'abc'", "received of device 1"),
            ("UPDATE ledger SET delivered = x'00ff'", "delivered of device 1"),
            ("UPDATE ledger SET missing = 1.5", "missing of device 1"),
            ("UPDATE ledger SET received = -1", "received of device 1"),
            ("UPDATE ledger SET received = 9223372036854775807", "received of device 1"),
            ("INSERT INTO loss VALUES (1, 'x', 9223372036854775807)", "x of device 1"),
            ("INSERT INTO loss VALUES (1, x'ff', 1)", "loss.reason"),
            ("INSERT INTO identifier VALUES ('gateway', x'ff')", "identifier.value of gateway"),
            ("UPDATE boot SET offset = 'zz'", "boot.offset of 5e0c91aa"),
            ("UPDATE boot SET offset = x'00'", "boot.offset of 5e0c91aa"),
            ("UPDATE boot SET name = x'ff00'", "boot.name"),
            ("UPDATE device SET name = x'ff00'", "device.name"),
            ("UPDATE characteristic SET name = x'ff00'", "characteristic.name"),
        ])
    func values(_ sql: String, _ name: String) throws {
        let journal = try damaged(by: sql)
        #expect(log.text.contains(name))
        #expect(journal.statistics.balances)
        #expect(try journal.rows(after: 0, limit: 10).map(\.n) == [2, 3, 4, 5])
        _ = try journal.boots()
        _ = try journal.deviceName(1)
        _ = try journal.characteristicName(1)
        journal.append([Sample.temperature(7)])
        journal.acknowledge([2])
        journal.close()
        let again = try Journal(configuration, clock: .system, logger: Sample.logger)
        #expect(again.statistics.buffered == 4)
        #expect(again.statistics.balances)
        again.close()
    }

    @Test(
        "times out of all range end nothing",
        arguments: [
            "up = -9223372036854775808", "up = 9223372036854775807", "ts = -9223372036854775808",
            "ts = 9223372036854775807", "up = 'abc', ts = x'00'", "rssi = 'abc', source = 99, clock = -1, value = 7",
            "n = 9223372036854775807 WHERE n = 5", "n = -9223372036854775807 WHERE n = 2",
        ])
    func times(_ change: String) throws {
        let journal = try damaged(by: "UPDATE reading SET \(change)")
        _ = journal.statistics
        let boots = [JournalBoot(id: 1, name: "5e0c91aa", offset: .max), JournalBoot(id: 1, name: "x", offset: .min)]
        for boot in boots {
            var line = TimeLine(current: boot.name, publishUnsynced: false)
            line.replaceBoots([boot] + boots)
            for row in try journal.rows(after: 0, limit: 10) {
                let time = line.time(of: row) ?? .unknown
                _ = line.isLive(row, at: 5, window: 10_000)
                _ = line.isLive(row, at: .max, window: .max)
                var writer = PayloadWriter()
                writer.reading(
                    row, time: time, head: [], boot: boot.name, characteristic: "2a6e", fields: nil, historical: true)
            }
        }
        journal.acknowledge([4, 5, .max])
        journal.close()
    }

    @Test("rows whose numbers no journal gives are not where readings begin", arguments: [0, -7, Int64.min])
    func numbers(_ n: Int64) throws {
        let journal = try damaged(by: "UPDATE reading SET n = \(n) WHERE n = 2")
        #expect(try journal.firstRow(ofBoot: "5e0c91aa", sinceUptime: 0) == 3)
        #expect(try journal.rows(after: 0, limit: 10).map(\.n) == [3, 4, 5])
        journal.close()
    }

    @Test(
        "no time of 1970 or of a far future comes out of a journal with such times",
        arguments: [0, -1, 5_000_000_000_000])
    func offsets(_ offset: Int64) throws {
        let journal = try damaged(by: "UPDATE boot SET offset = \(offset)")
        #expect(try journal.boots().map(\.offset) == [nil])
        journal.close()
    }

    @Test("an estimated time stops at the ends of the range")
    func saturation() {
        for (up, offset, expected) in [
            (5, Int64.max, Int64.max), (-5, .min, .min), (Int64.min, -1, .min), (.max, 1, .max), (5, 6, 11),
        ] as [(Int64, Int64, Int64)] {
            var line = TimeLine(current: "b", publishUnsynced: false)
            line.replaceBoots([JournalBoot(id: 1, name: "b", offset: offset)])
            #expect(line.time(of: Sample.row(at: Sample.unsynced(up: up)))?.unixMilliseconds == expected)
        }
    }

    @Test("a closed journal is one file: nothing stays behind in the log")
    func checkpoint() throws {
        let journal = try Journal(configuration, clock: .system, logger: log.logger)
        journal.append((0..<5).map { Sample.temperature($0) })
        journal.requestCommit()
        #expect(try journal.rows(after: 0, limit: 10).count <= 5)
        journal.close()
        let size = try? FileManager.default.attributesOfItem(atPath: configuration.path + "-wal")[.size] as? NSNumber
        #expect((size?.intValue ?? 0) == 0)
        #expect(log.text.isEmpty)
    }
}
