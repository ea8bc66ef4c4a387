// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GRDB
import Platform
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Readings

@Suite("Journal")
struct JournalTests {
    private let folder: TestFolder
    private var configuration: JournalConfiguration

    init() throws {
        folder = try TestFolder()
        configuration = JournalConfiguration(
            path: folder.path("state/journal.db"), commitRows: 10, commitInterval: .seconds(3_600), durability: .fast)
    }

    private func open(_ change: (inout JournalConfiguration) -> Void = { _ in }) throws -> Journal {
        var configuration = configuration
        change(&configuration)
        return try Journal(configuration, clock: .system, logger: Sample.logger)
    }

    private func readings(_ range: Range<Int>) -> [Reading] {
        range.map { Sample.temperature(Int16($0)) }
    }

    // MARK: - Commits

    @Test("a transaction is made when enough readings wait, and not before")
    func commitByRows() async throws {
        let journal = try open()
        journal.append(readings(0..<9))
        #expect(journal.statistics.waiting == 9)
        #expect(journal.statistics.committed == 0)
        journal.append(readings(9..<10))
        #expect(await eventually { journal.statistics.committed == 10 })
        #expect(journal.statistics.waiting == 0)
        #expect(try journal.rows(after: 0, limit: 100).map(\.n) == Array(1...10))
    }

    @Test("a transaction is made when the first reading has waited long enough")
    func commitByTime() async throws {
        let journal = try open { $0.commitInterval = .milliseconds(20) }
        journal.append(readings(0..<1))
        #expect(await eventually { journal.statistics.committed == 1 })
    }

    @Test("the observer hears of commits with readings")
    func observer() async throws {
        let journal = try open { $0.commitRows = 1 }
        let counter = Counter()
        journal.setCommitObserver { counter.increment() }
        journal.append(readings(0..<3))
        #expect(await eventually { counter.value == 1 })
        journal.acknowledge([1, 2, 3])
        journal.requestCommit()
        #expect(await eventually { journal.statistics.delivered == 3 })
        #expect(counter.value == 1)
    }

    @Test("a reading comes back unchanged")
    func roundTrip() throws {
        let journal = try open()
        let odd = Reading(
            device: "fridge", characteristic: "12345678-0000-1000-8000-00805f9b34fb", source: .indicate, value: [],
            rssi: nil, stamp: Sample.unsynced(boot: "aaaaaaaa", up: 7))
        journal.append([Sample.temperature(2430), odd])
        journal.close()
        let again = try open()
        let rows = try again.rows(after: 0, limit: 10)
        #expect(rows.count == 2)
        #expect(try rows.map { try again.deviceName($0.device) } == ["cbb8334c884f", "fridge"])
        #expect(try rows.map { try again.characteristicName($0.characteristic) } == ["2a6e", odd.characteristic])
        #expect(rows.map(\.source) == [.notify, .indicate])
        #expect(rows.map(\.rssi) == [-67, nil])
        #expect(rows.map(\.value) == [[0x7E, 0x09], []])
        #expect(rows.map(\.uptimeMilliseconds) == [381_223, 7])
        #expect(rows.map(\.unixMilliseconds) == [1_767_261_906_123, nil])
        #expect(rows.map(\.quality) == [.synced, .unsynced])
        let boots = try again.boots()
        #expect(boots.map(\.name) == ["5e0c91aa", "aaaaaaaa"])
        #expect(boots.map(\.offset) == [1_767_261_906_123 - 381_223, nil])
    }

    // MARK: - Acknowledgements

    @Test("only acknowledged rows are deleted; numbers continue and are never used again")
    func acknowledge() async throws {
        let journal = try open()
        journal.append(readings(0..<10))
        #expect(await eventually { journal.statistics.committed == 10 })
        journal.acknowledge([2, 3, 4, 9, 10])
        #expect(try journal.rows(after: 0, limit: 3).map(\.n) == [1, 5, 6], "before they are deleted on disk")
        journal.close()
        let again = try open()
        #expect(try again.rows(after: 0, limit: 100).map(\.n) == [1, 5, 6, 7, 8])
        again.acknowledge([1, 5, 6, 7, 8])
        again.append(readings(0..<10))
        #expect(await eventually { again.statistics.committed == 20 })
        #expect(try again.rows(after: 0, limit: 100).map(\.n) == Array(11...20))
        #expect(again.statistics.delivered == 10)
        #expect(again.statistics.balances)
    }

    @Test("a row acknowledged twice counts once")
    func twice() async throws {
        let journal = try open()
        journal.append(readings(0..<10))
        #expect(await eventually { journal.statistics.committed == 10 })
        journal.acknowledge([1, 1, 2])
        journal.requestCommit()
        #expect(await eventually { journal.statistics.delivered == 2 })
        journal.acknowledge([2])
        journal.close()
        #expect(try open().statistics.delivered == 2)
    }

    @Test("numbers become runs", arguments: [([], []), ([3, 1, 2, 7, 8, 8], [1...3, 7...8]), ([5], [5...5])])
    func runs(_ numbers: [Int64], _ expected: [ClosedRange<Int64>]) {
        #expect(RowSet(numbers).runs == expected)
    }

    @Test("a set of rows holds its rows, whatever the order of their insertion")
    func rowSet() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let numbers = (0..<60).map { _ in Int64.random(in: 0..<80, using: &random) }
            var set = RowSet(numbers.prefix(30))
            set.formUnion(RowSet(numbers.suffix(30)))
            #expect((-1..<81).filter { set.contains($0) } == Set(numbers).sorted())
            #expect(zip(set.runs, set.runs.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
        }
        var ends = RowSet([.max, .min, .max - 1])
        ends.insert(.min ... .max)
        #expect(ends.runs == [.min ... .max])
    }

    @Test("a caller hears that a reading is durable, at once after its transaction, in order")
    func durable() async throws {
        let journal = try open()
        let told = Mutex<[Bool]>([])
        journal.append(readings(0..<1))
        journal.append(readings(1..<3)) { durable in
            #expect(journal.statistics.committed == 3)
            told.withLock { $0.append(durable) }
        }
        #expect(await eventually { told.withLock { $0 } == [true] })
        journal.append([]) { durable in told.withLock { $0.append(durable) } }
        #expect(await eventually { told.withLock { $0 } == [true, true] })
        journal.close()
        journal.append(readings(3..<4)) { durable in told.withLock { $0.append(durable) } }
        #expect(await eventually { told.withLock { $0 } == [true, true, false] })
        #expect(journal.statistics.balances)
    }

    @Test("a caller hears that a reading was dropped instead")
    func notDurable() async throws {
        let journal = try open { $0.queueCapacity = 5 }
        let told = Mutex<[Bool]>([])
        journal.append(readings(0..<6)) { durable in told.withLock { $0.append(durable) } }
        #expect(await eventually { told.withLock { $0 } == [false] })
        #expect(journal.statistics.dropped == ["queue-full": 1])
        #expect(journal.statistics.balances)
    }

    @Test("rows given up by the publisher are deleted and counted by their reason, once, and not read meanwhile")
    func surrender() async throws {
        let journal = try open()
        journal.append(readings(0..<10))
        #expect(await eventually { journal.statistics.committed == 10 })
        journal.drop([2, 3, 4], reason: .coalesced)
        journal.drop([4, 5], reason: .deadBand)
        journal.acknowledge([1, 2])
        #expect(try journal.rows(after: 0, limit: 3).map(\.n) == [6, 7, 8])
        journal.close()
        let again = try open()
        #expect(try again.rows(after: 0, limit: 100).map(\.n) == Array(6...10))
        #expect(again.statistics.delivered == 2)
        #expect(again.statistics.dropped.values.reduce(0, +) == 3)
        #expect(again.statistics.balances)
    }

    @Test("the first of the young rows is found from the end")
    func firstYoung() throws {
        let journal = try open()
        func reading(_ boot: String, _ up: Int64) -> Reading {
            Reading(
                device: "a", characteristic: "2a6e", source: .notify, value: [1], rssi: nil,
                stamp: Sample.unsynced(boot: boot, up: up))
        }
        journal.append([("old", 5), ("old", 99), ("new", 1), ("new", 5), ("new", 7)].map { reading($0.0, $0.1) })
        journal.close()
        let again = try open()
        for (boot, since, expected) in [
            ("new", 0, 3), ("new", 5, 4), ("new", 6, 5), ("new", 8, nil), ("old", 6, 2), ("old", 0, 1), ("no", 0, nil),
        ] as [(String, Int64, Int64?)] {
            #expect(try again.firstRow(ofBoot: boot, sinceUptime: since) == expected, "\(boot) \(since)")
        }
    }

    @Test("numbers missing from a sensor's sequence are counted across restarts, separately from the rows")
    func gaps() throws {
        let journal = try open()
        journal.countGap(of: "a", missing: 3)
        journal.countGap(of: "b", missing: 2)
        journal.countGap(of: "b", missing: -1)
        #expect(journal.statistics.missing == 5)
        journal.close()
        let again = try open()
        #expect(again.statistics.missing == 5)
        #expect(again.statistics.balances)
    }

    // MARK: - Books

    @Test("counters go on after a restart, and the books balance")
    func restart() throws {
        let journal = try open()
        journal.append(readings(0..<7))
        journal.close()
        let second = try open()
        #expect(second.statistics.received == 7)
        #expect(second.statistics.buffered == 7)
        second.acknowledge([1, 2])
        second.append(readings(0..<1))
        second.close()
        let books = try open().statistics
        #expect(books.received == 8)
        #expect(books.committed == 8)
        #expect(books.delivered == 2)
        #expect(books.buffered == 6)
        #expect(books.waiting == 0)
        #expect(books.balances)
        #expect(books.bytes > 0)
        #expect(books.oldestAgeSeconds != nil)
    }

    @Test("readings without room in the queue are dropped and counted, also after a restart")
    func queueFull() throws {
        let journal = try open {
            $0.queueCapacity = 5
            $0.commitRows = 1_000
        }
        journal.append(readings(0..<8))
        #expect(journal.statistics.dropped == ["queue-full": 3])
        #expect(journal.statistics.waiting == 5)
        #expect(journal.statistics.balances)
        journal.close()
        journal.append(readings(0..<2))
        #expect(journal.statistics.dropped == ["queue-full": 3, "closed": 2])
        #expect(journal.statistics.balances)
        let again = try open()
        #expect(again.statistics.dropped == ["queue-full": 3])
        #expect(again.statistics.received == 8)
        #expect(again.statistics.balances)
    }

    @Test("when the journal holds its maximum, the oldest rows go, and are counted")
    func maximum() async throws {
        let journal = try open { $0.maximumRows = 25 }
        for start in stride(from: 0, to: 40, by: 10) {
            journal.append(readings(start..<(start + 10)))
            #expect(await eventually { journal.statistics.committed == start + 10 })
        }
        #expect(try journal.rows(after: 0, limit: 100).map(\.n) == Array(16...40))
        #expect(journal.statistics.dropped == ["journal-full": 15])
        #expect(journal.statistics.balances)
        journal.close()
        #expect(try open().statistics.dropped == ["journal-full": 15])
    }

    @Test("an unwritable disk keeps readings in memory, and they are written later")
    func failingDisk() async throws {
        let journal = try open()
        // Another writer holds the database: commits fail as they do on a full disk.
        var blocking = Configuration()
        blocking.allowsUnsafeTransactions = true
        let blocker = try DatabaseQueue(path: configuration.path, configuration: blocking)
        try blocker.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
        journal.append(readings(0..<30))
        #expect(await eventually { journal.isFailing })
        #expect(journal.statistics.waiting == 30)
        #expect(journal.statistics.balances)
        journal.append(readings(30..<33))
        try blocker.inDatabase { try $0.execute(sql: "ROLLBACK") }
        #expect(
            await eventually {
                // The last three readings may arrive during the successful retry.
                journal.requestCommit()
                return journal.statistics.committed == 33
            })
        let values = try journal.rows(after: 0, limit: 100).map { $0.value.first }
        #expect(values == (0..<33).map { UInt8($0) })
        #expect(journal.statistics.balances)
    }

    // MARK: - Small facts and files

    @Test("small facts are kept")
    func identifiers() throws {
        let journal = try open()
        #expect(journal.identifier(for: "a") == nil)
        journal.setIdentifier("1", for: "a")
        journal.setIdentifier("2", for: "a")
        journal.setIdentifier("x", for: "b")
        #expect(journal.identifier(for: "a") == "2")
        journal.close()
        let again = try open()
        #expect(again.identifier(for: "a") == "2")
        #expect(again.identifier(for: "b") == "x")
    }

    @Test("rows keep their gateway when another gateway opens the journal")
    func owners() async throws {
        func open(_ gateway: String, _ rows: Range<Int>) async throws -> RowOwners {
            let journal = try self.open { ($0.gateway, $0.commitRows) = (gateway, 1) }
            journal.append(readings(rows))
            #expect(await eventually { journal.statistics.waiting == 0 })
            defer { journal.close() }
            return RowOwners(journal.identifier)
        }
        #expect(try await open("gw-a", 0..<7).formers.isEmpty)
        #expect(try await open("gw-a", 0..<1).formers.isEmpty)
        let owners = try await open("gw-b", 0..<5)
        #expect(owners.formers == [RowOwners.Former(name: "gw-a", last: 8)] && owners.current == "gw-b")
        #expect(try await open("gw-a", 0..<1).formers.map(\.last) == [8, 13])
    }

    @Test("only the owner can read the files")
    func modes() throws {
        let journal = try open()
        journal.append(readings(0..<1))
        journal.requestCommit()
        defer { journal.close() }
        func mode(_ path: String) throws -> Int? {
            (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
        }
        #expect(try mode(folder.path("state")) == 0o700)
        for suffix in ["", "-wal", "-shm", ".lock"] {
            #expect(try mode(configuration.path + suffix) == 0o600, "\(suffix)")
        }
    }

    @Test("a journal belongs to one process at a time")
    func inUse() throws {
        let journal = try open()
        #expect(throws: JournalError.inUse(path: configuration.path)) { try open() }
        journal.close()
    }
}
