// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Gateway
@testable import Operations
@testable import Page

/// Checks of visitors' texts, and the page's share of the processor.
struct PageChecksTests {
    private final class Runs: Sendable {
        private let counts = Mutex((now: 0, most: 0, all: 0))
        var most: Int { counts.withLock { $0.most } }
        var all: Int { counts.withLock { $0.all } }

        func run() {
            counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) }
            usleep(5_000)
            counts.withLock { $0.now -= 1 }
        }
    }

    @Test func `one is made at a time`() async {
        let (checks, runs) = (PageChecks(PageProcessor()), Runs())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<PageChecks.maximum {
                group.addTask { _ = try? await checks.run(within: .seconds(600)) { _ in runs.run() } }
            }
        }
        #expect(runs.most == 1 && runs.all == PageChecks.maximum)
    }

    @Test func `some wait, and the others are told to come again`() async throws {
        let checks = PageChecks(PageProcessor())
        for _ in 0..<PageChecks.maximum { #expect(checks.enter()) }
        #expect(!checks.enter())
        do throws(OperationError) {
            try await checks.run { _ in Issue.record("it was made") }
            Issue.record("it was not refused")
        } catch {
            #expect(error.kind == .busy)
        }
        checks.leave()
        #expect(try await checks.run { _ in true })
        #expect(checks.enter() && !checks.enter(), "a check that is over gives its place back")
    }

    @Test func `one whose turn comes too late is not made`() async {
        let checks = PageChecks(PageProcessor())
        do throws(OperationError) {
            try await checks.run(within: .zero) { _ in Issue.record("it was made") }
            Issue.record("it was not refused")
        } catch {
            #expect(error.kind == .busy)
        }
        for _ in 0..<PageChecks.maximum { #expect(checks.enter(), "one that was not made gives its place back") }
    }

    @Test func `the page rests when it has used its share, and never for long`() {
        let processor = PageProcessor()
        let now = MonotonicTime.zero + .seconds(1_000)
        #expect(processor.use(.seconds(PageProcessor.burst), at: now) == .zero)
        #expect(processor.use(.milliseconds(10), at: now) == .milliseconds(20))
        #expect(processor.use(.seconds(100), at: now) == PageProcessor.longestRest)
        #expect(processor.use(.zero, at: now + .seconds(400)) == .zero)
    }

    @Test func `work on a thread is counted by what it has used, not by how long it took`() {
        let before = PageProcessor.timeOfThread
        var sum: UInt64 = 0
        while PageProcessor.timeOfThread - before < .milliseconds(20) { sum &+= 1 }
        let used = PageProcessor.timeOfThread
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(30))
        #expect(PageProcessor.timeOfThread - used < .milliseconds(20) && sum > 0)
    }
}
