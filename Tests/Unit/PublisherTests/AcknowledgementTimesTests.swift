// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Publisher

struct AcknowledgementTimesTests {
    @Test func `each time is in the first bucket that holds it, and those beyond the last are in the count alone`() {
        var times = AcknowledgementTimes()
        for milliseconds in [0, 5, 6, 10, 60_000, 60_001, 1_000_000] { times.add(.milliseconds(milliseconds)) }
        #expect(times.buckets == [2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
        #expect(times.count == 7 && times.buckets.reduce(0, +) == 5)
        #expect((times.sum - 1_120.022).magnitude < 0.001)
    }
}
