// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Simulation

@Suite("Latencies in buckets")
struct LatencyHistogramTests {
    @Test("a quantile is exact below 32 µs, and at most 1/32 above the time beyond")
    func quantiles() throws {
        for microseconds in [0, 1, 31, 32, 33, 63, 64, 1_000, 44_123, 1_000_000, 3_600_000_000] {
            var histogram = LatencyHistogram()
            histogram.add(.microseconds(microseconds))
            // Not the longest time, because it limits the answer.
            histogram.add(.seconds(5_000))
            let found = try #require(histogram.quantile(0.5))
            #expect(found >= .microseconds(microseconds), "\(microseconds)")
            #expect(found <= .microseconds(microseconds + microseconds / 32), "\(microseconds)")
        }
    }

    @Test("shares count: the 99th of 100 is p99, the last is the longest")
    func shares() {
        var histogram = LatencyHistogram()
        for number in 1...100 { histogram.add(.microseconds(number <= 98 ? 10 : number == 99 ? 20 : 30)) }
        #expect(histogram.quantile(0.98) == .microseconds(10))
        #expect(histogram.quantile(0.99) == .microseconds(20))
        #expect(histogram.quantile(1) == .microseconds(30))
        #expect(histogram.quantile(0) == .microseconds(10))
        #expect(histogram.count == 100 && histogram.longest == .microseconds(30))
    }

    @Test("a difference has the later times, a sum all times; an empty histogram has no answer")
    func sums() {
        var earlier = LatencyHistogram()
        earlier.add(.microseconds(5))
        var later = earlier
        later.add(.microseconds(9))
        #expect(later.since(earlier).quantile(0) == .microseconds(9))
        #expect(later.since(earlier).count == 1)
        later.add(earlier)
        #expect(later.count == 3)
        #expect(LatencyHistogram().quantile(0.5) == nil)
    }

    @Test("impossible times are accepted: negative as zero, the longest in the last bucket")
    func extremes() {
        var histogram = LatencyHistogram()
        histogram.add(.seconds(-1))
        #expect(histogram.quantile(1) == .zero)
        histogram.add(.nanoseconds(Int64.max))
        #expect(histogram.count == 2)
    }
}
