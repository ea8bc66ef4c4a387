// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Platform

@Suite("Back-off")
struct BackoffTests {
    @Test("waits double up to the longest, and begin again after a reset")
    func doubling() {
        var backoff = Backoff(.seconds(1)...(.seconds(60)))
        #expect((0..<8).map { _ in backoff.wait(spread: 1) } == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        backoff.reset()
        #expect(backoff.wait(spread: 1) == .seconds(1))
    }

    @Test("a wait is spread by at most half", arguments: [(0.5, 500), (1.5, 1_500), (-7, 500), (9, 1_500)])
    func spread(_ spread: Double, _ milliseconds: Int) {
        var backoff = Backoff(.seconds(1)...(.seconds(60)))
        #expect(backoff.wait(spread: spread) == .milliseconds(milliseconds))
    }

    @Test(
        "a wait is told to a tenth of a second, or to a millisecond",
        arguments: [(1_349, "1.3 seconds"), (1_350, "1.4 seconds"), (37, "0.037 seconds"), (0, "0.0 seconds")])
    func rounding(_ milliseconds: Int, _ text: String) {
        #expect((Duration.milliseconds(milliseconds) + .nanoseconds(123)).rounded.description == text)
    }
}
