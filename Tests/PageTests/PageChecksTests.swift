// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Synchronization
import Testing

@testable import Gateway
@testable import Page

/// Checks of visitors' texts, and the page's share of the processor.
struct PageChecksTests {
    private final class Gate: Sendable {
        let opens = DispatchSemaphore(value: 0)
        let running = Mutex((now: 0, most: 0))
        func pass() {
            running.withLock { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
            opens.wait()
            running.withLock { $0.now -= 1 }
        }
    }

    @Test func `one is made at a time, some wait, and the others are told to come again`() async throws {
        let (checks, gate) = (PageChecks(PageProcessor()), Gate())
        let results = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(OperationError) {
                        try await checks.run(within: .seconds(600)) { _ in gate.pass() }
                        return true
                    } catch {
                        #expect(error.kind == .busy)
                        return false
                    }
                }
            }
            var results: [Bool] = []
            // Those that found no room answer at once; then the others are let go.
            for _ in 0..<20 - PageChecks.maximum { if let one = await group.next() { results.append(one) } }
            for _ in 0..<PageChecks.maximum { gate.opens.signal() }
            for await one in group { results.append(one) }
            return results
        }
        #expect(results.count { $0 } == PageChecks.maximum && gate.running.withLock { $0.most } == 1)
        try await checks.run { _ in }
    }

    @Test func `one whose turn comes too late is not made`() async {
        let checks = PageChecks(PageProcessor())
        do throws(OperationError) {
            try await checks.run(within: .zero) { _ in Issue.record("it was made") }
            Issue.record("it was not refused")
        } catch {
            #expect(error.kind == .busy)
        }
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
