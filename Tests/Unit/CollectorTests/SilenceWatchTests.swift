// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Collector

@Suite("Silence of a sensor")
struct SilenceWatchTests {
    private let second: Int64 = 1_000

    @Test("ten times the usual interval without a value is silence, told once, and so is its end")
    func silence() {
        var watch = SilenceWatch()
        watch.began(at: 0, readings: 0)
        #expect(watch.look(at: 100 * second, readings: 10, lastValue: 100 * second) == nil)
        #expect(watch.usualMs == 10 * second)
        #expect(watch.look(at: 200 * second, readings: 10, lastValue: 100 * second) == nil, "not longer than that")
        #expect(watch.look(at: 201 * second, readings: 10, lastValue: 100 * second) == .silent(forMs: 101 * second))
        #expect(watch.isSilent)
        #expect(watch.look(at: 300 * second, readings: 10, lastValue: 100 * second) == nil, "it was said")
        #expect(watch.look(at: 400 * second, readings: 11, lastValue: 390 * second) == .speaking(afterMs: 290 * second))
        #expect(!watch.isSilent)
        #expect(watch.usualMs == 10 * second, "the gap is no interval")
        #expect(watch.look(at: 430 * second, readings: 15, lastValue: 430 * second) == nil)
        #expect(watch.usualMs == 10 * second)
    }

    @Test func `three values give no usual interval, and four give one`() {
        var watch = SilenceWatch()
        watch.began(at: 0, readings: 0)
        _ = watch.look(at: 3 * second, readings: 3, lastValue: 3 * second)
        #expect(watch.usualMs == nil)
        _ = watch.look(at: 4 * second, readings: 4, lastValue: 4 * second)
        #expect(watch.usualMs == second)
    }

    @Test("a fast sensor is not silent before a minute; a sensor without a known interval is not silent before ten")
    func least() {
        var fast = SilenceWatch()
        fast.began(at: 0, readings: 0)
        _ = fast.look(at: 10 * second, readings: 1_000, lastValue: 10 * second)
        #expect(fast.look(at: 70 * second, readings: 1_000, lastValue: 10 * second) == nil)
        #expect(fast.look(at: 71 * second, readings: 1_000, lastValue: 10 * second) == .silent(forMs: 61 * second))
        var unknown = SilenceWatch()
        unknown.began(at: 0, readings: 7)
        #expect(unknown.look(at: 600 * second, readings: 7, lastValue: nil) == nil)
        #expect(unknown.look(at: 601 * second, readings: 7, lastValue: nil) == .silent(forMs: 601 * second))
    }

    @Test("a value of the former link does not count; the former link's rate does")
    func links() {
        var watch = SilenceWatch()
        watch.began(at: 0, readings: 0)
        _ = watch.look(at: 100 * second, readings: 100, lastValue: 100 * second)
        watch.ended()
        #expect(watch.look(at: 1_000 * second, readings: 100, lastValue: 100 * second) == nil, "there is no link")
        watch.began(at: 1_000 * second, readings: 100)
        #expect(watch.look(at: 1_060 * second, readings: 100, lastValue: 100 * second) == nil)
        #expect(watch.look(at: 1_061 * second, readings: 100, lastValue: 100 * second) == .silent(forMs: 61 * second))
    }

    @Test("a changed rate soon counts as usual")
    func rate() {
        var watch = SilenceWatch()
        watch.began(at: 0, readings: 0)
        _ = watch.look(at: 10 * second, readings: 1_000, lastValue: 10 * second)
        #expect(watch.usualMs == 10)
        for round in 1...4 {
            let now = 10 * second + Int64(round) * 50 * second
            #expect(watch.look(at: now, readings: 1_000 + round, lastValue: now) == nil)
        }
        #expect(watch.usualMs == 50 * second)
    }

    @Test("numbers at the ends of their range make no trap")
    func extremes() {
        var watch = SilenceWatch()
        watch.began(at: .min, readings: 0)
        _ = watch.look(at: .max, readings: 100, lastValue: .max)
        _ = watch.look(at: .max, readings: 100, lastValue: .min)
        var limits = SilenceLimits()
        limits.factor = .max
        #expect(limits.limit(usual: .max) == .max)
    }
}
