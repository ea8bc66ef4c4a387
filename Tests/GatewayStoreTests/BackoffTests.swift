// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway

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
}
