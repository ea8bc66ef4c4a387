// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

struct WaitingTests {
    @Test func `what comes late is waited for`() async throws {
        let looks = Mutex(0)
        func looked() -> Int {
            looks.withLock { looks in
                looks += 1
                return looks
            }
        }
        try await waitFor("the third look") { looked() == 3 }
        #expect(await eventually { looked() == 6 })
        #expect(blockingEventually { looked() == 9 })
    }

    @Test func `what does not come has a name`() async throws {
        #expect(await !eventually(within: .zero) { false })
        let error = await #expect(throws: WaitedInVain.self) {
            try await waitFor("the bell", within: .milliseconds(20)) { false }
        }
        #expect(
            error?.description.hasPrefix("waited in vain for the bell at TestSupportTests/WaitingTests.swift:") == true)
    }
}

/// More tests than the pool has threads hold theirs up, until a task of the pool has had its turn.
@Suite(.ownThread)
struct OwnThreadTests {
    @Test(arguments: 0..<6) func `a test that holds its thread up holds up nothing else`(_ number: Int) {
        let hasRun = DispatchSemaphore(value: 0)
        Task { hasRun.signal() }
        #expect(hasRun.wait(timeout: .now() + 480) == .success)
    }

    @Test func `a test goes on on its own thread after it has waited`() async throws {
        let before = pthread_self()
        try await Task.sleep(for: .milliseconds(1))
        #expect(pthread_self() == before)
        let other = await Task { pthread_self() }.value
        #expect(other != before)
    }
}
