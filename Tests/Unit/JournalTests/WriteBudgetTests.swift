// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Platform
@testable import Readings

/// How often is written, to spare flash memory.
@Suite("Write budget")
struct WriteBudgetTests {
    private func time(_ seconds: Double) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test("without a budget nothing changes")
    func unlimited() {
        var budget = WriteBudget(megabytesPerDay: 0)
        budget.wrote(1 << 40, at: time(1))
        #expect(budget.interval(.milliseconds(500), at: time(1)) == .milliseconds(500))
        #expect(!budget.isOverdrawn(at: time(1)))
    }

    @Test("commits at the announced pace keep to the budget of a day, whatever each commit writes")
    func day() {
        for octets in [20_000, 60_000, 110_000] as [Int64] {
            var budget = WriteBudget(megabytesPerDay: 1_000)
            var now = 0.0
            var written: Int64 = 0
            while now < 86_400 {
                now += budget.interval(.milliseconds(500), at: time(now)) / .seconds(1)
                written += octets
                budget.wrote(octets, at: time(now))
            }
            // The account's initial balance comes on top: an hour's budget.
            #expect(written <= 1_000 << 20 + (1_000 << 20) / 24 + 2 * octets)
            #expect(written > 900 << 20, "it is not wasted either")
        }
    }

    @Test("no commit waits longer than ten seconds, and an hour of rest makes good again")
    func limits() {
        var budget = WriteBudget(megabytesPerDay: 1)
        #expect(budget.interval(.milliseconds(500), at: time(0)) == .milliseconds(500))
        budget.wrote(1 << 40, at: time(0))
        #expect(budget.interval(.milliseconds(500), at: time(0)) == .seconds(10))
        #expect(budget.interval(.seconds(20), at: time(0)) == .seconds(20))
        #expect(budget.interval(.milliseconds(500), at: time(3_599)) < .seconds(2))
        #expect(budget.isOverdrawn(at: time(3_599)))
        #expect(!budget.isOverdrawn(at: time(3_601)))
        #expect(budget.interval(.milliseconds(500), at: time(3_601)) == .milliseconds(500))
    }

    @Test("a journal over its budget gathers readings, but no caller waits longer for durability")
    func journal() async throws {
        let folder = try TestFolder()
        var configuration = JournalConfiguration(
            path: folder.path("journal.db"), commitRows: 10, commitInterval: .milliseconds(1), queueCapacity: 10_000)
        configuration.maximumWriteMegabytesPerDay = 1
        let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        #expect(journal.statistics.bytesWritten == 0)
        // An hour's budget is 44 KB; a single reading writes at least four pages.
        for count in 1...30 {
            let told = Mutex(false)
            journal.append([Sample.temperature(Int16(count))]) { durable in told.withLock { $0 = durable } }
            #expect(await eventually { told.withLock { $0 } })
        }
        #expect(journal.statistics.bytesWritten > 30 * 4_096)
        #expect(journal.state.withLock { $0.commits.isOverdrawn(at: .now) })
        journal.append((0..<100).map { Sample.temperature($0) })
        #expect(journal.state.withLock { $0.commits.kind } == .timed)
        #expect(journal.statistics.waiting == 100)
        journal.append((0..<5_000).map { Sample.temperature($0) })
        #expect(await eventually { journal.statistics.waiting == 0 }, "half a queue does not wait")
        journal.close()
        #expect(journal.statistics.balances)
    }
}
