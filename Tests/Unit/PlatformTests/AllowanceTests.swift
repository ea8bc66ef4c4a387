// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Platform

struct AllowanceTests {
    private static func at(_ seconds: Double) -> MonotonicTime { .zero + .seconds(1_000 + seconds) }

    @Test func `a burst goes at once, and after it one each period`() {
        var allowance = Allowance(3, every: .seconds(10))
        func take(_ seconds: Double) -> Duration? { allowance.spend(at: Self.at(seconds)) }
        #expect((0..<3).allSatisfy { _ in take(0) == nil })
        #expect(take(0) == .seconds(10) && take(4) == .seconds(6))
        #expect(take(9.5) == .milliseconds(500), "what is refused costs nothing")
        #expect(take(10) == nil && take(10) == .seconds(10))
        // A burst is whole again after its time, and no more than whole.
        #expect((0..<3).allSatisfy { _ in take(1_000) == nil })
        #expect(take(1_000) == .seconds(10))
    }

    @Test func `time that was used is made up for`() {
        var allowance = Allowance(seconds: 2, share: 0.5)
        func use(_ time: Duration, _ seconds: Double) -> Duration { allowance.use(time, at: Self.at(seconds)) }
        #expect(use(.seconds(2), 0) == .zero)
        #expect(use(.milliseconds(500), 0) == .seconds(1))
        #expect(use(.zero, 1) == .zero && use(.milliseconds(1), 1) == .milliseconds(2))
        // A user that continues all the same owes more and more.
        #expect(use(.seconds(10), 1) == .seconds(20) + .milliseconds(2))
    }
}
