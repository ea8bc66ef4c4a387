// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Collector

@Suite("Whether the scan is why sensors are not heard")
struct UnheardWatchTests {
    private typealias Sensor = UnheardWatch.Sensor
    private static let limits = SilenceLimits()

    @Test func `the scan is started again when none is heard and others are, and what comes then is its doing`() {
        var watch = UnheardWatch()
        var sensors = [Sensor(last: 0, usual: 2_000), Sensor(last: 10_000, usual: 9_000)]
        func look(_ now: Int64, others: Bool = true) -> UnheardWatch.Verdict? {
            watch.look(at: now, sensors, hearsOthers: others, limits: Self.limits)
        }
        #expect(look(70_000) == nil, "the second one may be away for 90 s")
        #expect(look(101_000, others: false) == nil, "the radio is deaf, which others mend")
        #expect(look(101_000) == .renew)
        #expect(look(102_000) == nil)
        sensors[0].last = 102_500
        #expect(look(131_000) == .helped(afterMs: 121_000))
        #expect(look(161_000) == nil, "one of them is heard")
        // A second renewal follows at once, because the first has helped.
        #expect(look(200_000) == .renew)
        // The renewal does not help, because the sensors are away: the next attempt comes an hour later.
        for now in stride(from: Int64(230_000), through: 3_799_999, by: 30_000) { #expect(look(now) == nil, "\(now)") }
        #expect(look(3_800_000) == .renew)
    }

    @Test func `of one that was heard once, ten minutes are waited for, and a minute when that has helped`() {
        var watch = UnheardWatch()
        #expect(watch.look(at: 0, [], hearsOthers: true, limits: Self.limits) == nil)
        func look(_ now: Int64, last: Int64) -> UnheardWatch.Verdict? {
            watch.look(at: now, [Sensor(last: last, usual: nil)], hearsOthers: true, limits: Self.limits)
        }
        #expect(look(600_000, last: 0) == nil)
        #expect(look(600_001, last: 0) == .renew)
        #expect(look(630_000, last: 600_100) == .helped(afterMs: 630_000))
        #expect(look(660_000, last: 600_100) == nil)
        #expect(look(660_101, last: 600_100) == .renew)
    }
}
