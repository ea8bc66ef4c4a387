// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Platform
@testable import Readings

/// Readings faster than the disk.
@Suite("Holding back")
struct HoldingBackTests {
    private let folder: TestFolder
    private let configuration: JournalConfiguration

    init() throws {
        folder = try TestFolder()
        var configuration = JournalConfiguration(
            path: folder.path("state/journal.db"), commitRows: 10, commitInterval: .seconds(3_600), durability: .fast,
            queueCapacity: 20)
        // The machine may be busy for longer than a disk has.
        configuration.longestHang = hangLimit
        self.configuration = configuration
    }

    private func readings(_ range: Range<Int>) -> [Reading] { range.map { Sample.temperature(Int16($0)) } }

    /// Blocks the journal's queue, as a hanging disk does, until the semaphore is signalled.
    private func hold(_ journal: Journal) -> DispatchSemaphore {
        let release = DispatchSemaphore(value: 0)
        journal.queue.async { release.wait() }
        return release
    }

    @Test("a full queue holds up the caller, and nothing is dropped")
    func holdsBack() async throws {
        let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        let release = hold(journal)
        let taken = Counter()
        let all = readings(0..<100)
        Thread.detachNewThread {
            for start in stride(from: 0, to: 100, by: 5) {
                journal.waitForRoom(5, until: .now + hangLimit)
                journal.append(Array(all[start..<start + 5]))
                taken.increment()
            }
        }
        #expect(await eventually { journal.state.withLock { !$0.callers.isEmpty } })
        #expect(taken.value == 4)
        #expect(journal.statistics.waiting == 20)
        release.signal()
        #expect(await eventually { taken.value == 20 })
        journal.close()
        #expect(journal.statistics.dropped.isEmpty)
        let rows = try Journal(configuration, clock: .system, logger: Sample.logger).rows(after: 0, limit: 200)
        #expect(rows.map(\.value) == all.map(\.value))
    }

    @Test("a full queue is written at once, also where readings are to gather for longer")
    func writesWhatGathers() async throws {
        var configuration = configuration
        configuration.commitRows = 1_000
        let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        journal.append(readings(0..<20))
        let isTaken = Counter()
        let told = Mutex<[Bool]>([])
        Thread.detachNewThread {
            journal.waitForRoom(1, until: .now + hangLimit)
            journal.append([Sample.temperature(20)]) { durable in
                told.withLock { $0.append(durable) }
            }
            isTaken.increment()
        }
        #expect(await eventually { isTaken.value == 1 })
        #expect(await eventually { told.withLock { $0 } == [true] })
        #expect(journal.statistics.committed == 21)
        #expect(journal.statistics.dropped.isEmpty)
    }

    /// Whether the journal would hold up one more reading, `time` from now.
    private func holdsUp(_ journal: Journal, _ count: Int = 1, after time: Duration = .zero) -> Bool {
        journal.state.withLock { state in
            guard let (waiter, _) = state.waiter(forRoom: count, journal.configuration, at: .now + time) else {
                return false
            }
            state.callers.giveUp(waiter)
            return true
        }
    }

    @Test("a hanging disk holds up callers for a time only; then readings are dropped and counted")
    func hangs() async throws {
        var configuration = configuration
        configuration.longestHang = .milliseconds(200)
        let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        let release = hold(journal)
        journal.append(readings(0..<20))
        journal.waitForRoom(2, until: .now + .milliseconds(1))
        journal.append(readings(20..<22))
        #expect(journal.statistics.dropped == ["queue-full": 2])
        #expect(!holdsUp(journal, after: configuration.longestHang))
        // However much time there would be.
        journal.waitForRoom(1, until: .now + hangLimit)
        #expect(!holdsUp(journal))
        journal.append(readings(22..<23))
        #expect(journal.statistics.dropped == ["queue-full": 3])
        #expect(journal.state.withLock { $0.callers.isEmpty })
        release.signal()
        #expect(await eventually { journal.statistics.committed == 20 })
        #expect(journal.statistics.balances)
        let again = hold(journal)
        defer { again.signal() }
        journal.append(readings(23..<43))
        #expect(holdsUp(journal))
    }

    @Test("a slow disk whose transactions succeed goes on holding back")
    func slow() throws {
        let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        let release = hold(journal)
        defer { release.signal() }
        journal.append(readings(0..<20))
        // Just before its time is over, a wake-up whose own time is over gives up.
        #expect(holdsUp(journal))
        #expect(holdsUp(journal, after: configuration.longestHang - .milliseconds(500)))
        journal.waitForRoom(1, until: .zero)
        #expect(
            holdsUp(journal, after: configuration.longestHang - .milliseconds(500)), "that says nothing about the disk")
        // A transaction has succeeded, and the queue is full again.
        journal.state.withLock { $0.callers.wrote(tookReadings: true) }
        #expect(holdsUp(journal, after: configuration.longestHang * 3))
        #expect(!holdsUp(journal, after: configuration.longestHang * 4))
    }

    @Test("a batch larger than the queue waits only for the queue's capacity")
    func many() throws {
        let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        let release = hold(journal)
        defer { release.signal() }
        #expect(!holdsUp(journal, 30))
        journal.append(readings(0..<1))
        #expect(holdsUp(journal, 30))
        journal.state.withLock { journal.retry(&$0) }
        #expect(!holdsUp(journal, 30), "a disk that fails")
    }

    @Test("an unwritable disk holds up no caller")
    func fails() async throws {
        // A file where the folder should be.
        try Data().write(to: URL(fileURLWithPath: folder.path("state")))
        let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        let isTaken = Counter()
        let all = readings(0..<23)
        Thread.detachNewThread {
            for readings in [all[..<20], all[20...]] {
                journal.waitForRoom(readings.count, until: .now + hangLimit)
                journal.append(Array(readings))
            }
            isTaken.increment()
        }
        #expect(await eventually { isTaken.value == 1 })
        #expect(journal.isFailing)
        #expect(journal.statistics.dropped == ["queue-full": 3])
        #expect(journal.statistics.balances)
    }

    @Test("a stop ends holding back at once")
    func stops() async throws {
        let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        let release = hold(journal)
        journal.append(readings(0..<20))
        let isTaken = Counter()
        Thread.detachNewThread {
            journal.waitForRoom(1, until: .now + .seconds(86_400))
            isTaken.increment()
        }
        #expect(await eventually { journal.state.withLock { !$0.callers.isEmpty } })
        journal.endHoldingBack()
        #expect(await eventually { isTaken.value == 1 })
        journal.waitForRoom(1, until: .now + .seconds(86_400))
        release.signal()
        journal.close()
        #expect(journal.statistics.committed == 20)
    }

    @Test(
        "the first loss of readings is logged, a stop as its cause too, and in the end the count",
        arguments: [false, true])
    func saysSo(whileStopping: Bool) throws {
        let log = LogLines()
        let journal = try Journal(configuration, clock: .system, logger: log.logger)
        let release = hold(journal)
        if whileStopping { journal.endHoldingBack() }
        for reading in readings(0..<2_000) { journal.append([reading]) }
        #expect(log.all.count { $0.hasPrefix("readings dropped") } == 1)
        let first = try #require(log.all.first { $0.hasPrefix("readings dropped") })
        #expect(first.contains("journal.dropped=1 "))
        #expect(first.contains("the disk does not keep up") == !whileStopping)
        #expect(first.contains("while the gateway stops") == whileStopping)
        // The journal names the stop as the cause of lost readings, even shortly after the disk was the cause.
        journal.endHoldingBack()
        journal.append([Sample.temperature(0)])
        journal.append([Sample.temperature(0)])
        #expect(log.all.count { $0.hasPrefix("readings dropped") } == 2)
        #expect(log.all.last?.contains("while the gateway stops") == true)
        release.signal()
        journal.close()
        #expect(log.all.count { $0.hasPrefix("readings were dropped") && $0.contains("journal.dropped=1982 ") } == 1)
        #expect(journal.statistics.dropped == ["queue-full": 1_982])
    }

    @Test("an unwritable disk is the reason in a stop, too")
    func saysWhatFails() throws {
        let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        journal.endHoldingBack()
        let (stop, failure) = journal.state.withLock { state in
            let stop = state.dropMessage
            _ = state.commits.failed()
            return (stop, state.dropMessage)
        }
        #expect("\(stop)".contains("while the gateway stops") && "\(failure)".contains("cannot be written"))
        journal.close()
    }

    @Test("the log repeats the loss after a minute, and its end once")
    func saysSoAgain() {
        var notice = DropNotice()
        let start = MonotonicTime.zero
        let due = [0, 1, 59, 60, 61, 119, 120].map { notice.isDue(at: start + .seconds($0)) }
        #expect(due == [true, false, false, true, false, false, true])
        // With the last of these all is said.
        var over = [500].map { notice.isOver(at: start + .seconds($0)) }
        #expect(over == [false])
        let dueAgain = [121, 122].map { notice.isDue(at: start + .seconds($0)) }
        #expect(dueAgain == [false, false] && notice.hasUnsaid)
        over = [123, 126, 127, 128].map { notice.isOver(at: start + .seconds($0)) }
        #expect(over == [false, false, true, false])
        notice.beginAnew()
        let dueAnew = notice.isDue(at: start + .seconds(129))
        #expect(dueAnew)
    }
}
