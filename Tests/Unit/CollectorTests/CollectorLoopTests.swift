// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatewayBench
import Platform
import Synchronization
import Testing

@testable import Collector

struct CollectorLoopTests {
    private final class Diary: Sendable {
        private let kept = Mutex<[String]>([])
        var entries: [String] { kept.withLock { $0 } }
        func record(_ entry: String) { kept.withLock { $0.append(entry) } }
    }

    @Test func `work for later runs at its time, and at the end at the latest`() async throws {
        let diary = Diary()
        let loop = CollectorLoop(time: DispatchTime.now, randomness: .system)
        loop.queue.sync {
            // Before the start, too: the request may be the first of all.
            loop.run(at: .distantFuture) { diary.record("at the end") }
            loop.run(at: loop.now) { diary.record("at its time") }
            loop.start {}
        }
        try await waitFor("the work") { !diary.entries.isEmpty }
        #expect(diary.entries == ["at its time"])
        loop.queue.sync { loop.stop() }
        #expect(diary.entries == ["at its time", "at the end"])
    }

    @Test func `work for later does not take the sensors' deadline away`() async throws {
        let diary = Diary()
        let loop = CollectorLoop(time: DispatchTime.now, randomness: .system)
        loop.queue.sync {
            loop.start { diary.record("deadline") }
            loop.wake(at: loop.now)
            loop.run(at: .distantFuture) { diary.record("work") }
        }
        try await waitFor("the deadline") { diary.entries.contains("deadline") }
        loop.queue.sync { loop.stop() }
        #expect(diary.entries.last == "work")
    }

    @Test func `one seed spreads the pauses of sensors in the same way again`() {
        func spreads(_ seed: UInt64) -> [Double] {
            let loop = CollectorLoop(time: DispatchTime.now, randomness: Randomness(SeededGenerator(seed: seed)))
            return (0..<8).map { _ in loop.spread() }
        }
        #expect(spreads(7) == spreads(7) && spreads(7) != spreads(8))
        #expect(spreads(7).allSatisfy { (0.8...1.2).contains($0) })
    }
}
