// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Platform

@Suite("Pauses", .timeLimit(.minutes(1)))
struct PauseTests {
    @Test func `a pause ends with its time`() async {
        #expect(await Waiting.pause(for: .milliseconds(1)))
    }

    @Test func `a cancelled pause ends at once, also a pause that begins after the cancellation`() async {
        let asleep = Task { await Waiting.pause(for: .seconds(3_600)) }
        asleep.cancel()
        #expect(await asleep.value == false)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await Waiting.pause(for: .seconds(3_600))
        }
        #expect(await late.value == false)
    }
}
