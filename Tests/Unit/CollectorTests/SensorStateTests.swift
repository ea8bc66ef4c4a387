// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Collector

@Suite("A sensor's only state")
struct SensorStateTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Seconds since boot at which the sensor is judged.
        var now: Int64
        var state: SensorState
        /// Seconds since boot; nil: since the collector's first notice.
        var since: Int64?
        var facts = SensorFacts(began: 0)

        init(
            _ what: String, at now: Int64, _ state: SensorState, since: Int64? = nil,
            _ change: (inout SensorFacts) -> Void = { _ in }
        ) {
            (testDescription, self.now, self.state, self.since) = (what, now, state, since)
            change(&facts)
        }
    }

    /// Seconds in milliseconds.
    private static func s(_ seconds: Int64) -> Int64 { seconds * 1_000 }

    private static let rows = [
        Row("no value since the start", at: 50, .neverHeard, since: 0),
        Row("no value, but something that cannot be read", at: 50, .notUnderstood) { $0.unreadAt = s(40) },
        Row("1 Hz, 30 s ago", at: 130, .fresh) { ($0.lastValue, $0.usual) = (s(100), s(1)) },
        Row("1 Hz, 31 s ago", at: 131, .late, since: 100) { ($0.lastValue, $0.usual) = (s(100), s(1)) },
        Row("1 Hz, 60 s ago", at: 160, .late, since: 100) { ($0.lastValue, $0.usual) = (s(100), s(1)) },
        Row("1 Hz, 61 s ago", at: 161, .silent, since: 100) { ($0.lastValue, $0.usual) = (s(100), s(1)) },
        Row("one in 60 s, 180 s ago", at: 280, .fresh) { ($0.lastValue, $0.usual) = (s(100), s(60)) },
        Row("one in 60 s, 181 s ago", at: 281, .late, since: 100) { ($0.lastValue, $0.usual) = (s(100), s(60)) },
        Row("one in 60 s, 601 s ago", at: 701, .silent, since: 100) { ($0.lastValue, $0.usual) = (s(100), s(60)) },
        Row("no interval known, 600 s ago", at: 700, .fresh) { $0.lastValue = s(100) },
        Row("no interval known, 601 s ago", at: 701, .silent, since: 100) { $0.lastValue = s(100) },
        Row("its entry says 15 s", at: 116, .silent, since: 100) {
            ($0.lastValue, $0.usual, $0.silentAfter) = (s(100), s(1), s(15))
        },
        Row("its entry says an hour", at: 3_000, .late, since: 100) {
            ($0.lastValue, $0.usual, $0.silentAfter) = (s(100), s(1), s(3_600))
        },
        Row("a button says nothing for a day", at: 86_500, .fresh) {
            ($0.lastValue, $0.speaksOfEvents) = (s(100), true)
        },
        Row("a button whose entry wants a word a day", at: 86_501, .silent, since: 100) {
            ($0.lastValue, $0.speaksOfEvents, $0.silentAfter) = (s(100), true, s(86_400))
        },
        Row("silent, and in the air with something else", at: 200, .notUnderstood, since: 100) {
            ($0.lastValue, $0.usual, $0.unreadAt) = (s(100), s(1), s(190))
        },
        Row("another gateway has it", at: 900, .elsewhere) { ($0.lastValue, $0.isElsewhere) = (s(100), true) },
        Row("the radio has failed after its last value", at: 131, .unknown, since: 101) {
            ($0.lastValue, $0.usual, $0.radio) = (s(100), s(1), .failed(since: s(101)))
        },
        Row("the radio has failed, and values come on its link", at: 131, .fresh) {
            ($0.lastValue, $0.usual, $0.radio) = (s(130), s(1), .failed(since: s(101)))
        },
        Row("no radio since the start", at: 131, .unknown, since: 0) { $0.radio = .failed(since: 0) },
        Row("the radio is back for 60 s", at: 1_060, .unknown, since: 101) {
            ($0.lastValue, $0.usual, $0.radio) = (s(100), s(1), .back(since: s(101), back: s(1_000)))
        },
        Row("the radio is back for 61 s", at: 1_061, .silent, since: 100) {
            ($0.lastValue, $0.usual, $0.radio) = (s(100), s(1), .back(since: s(101), back: s(1_000)))
        },
        Row("the radio is back, and so is the sensor", at: 1_061, .fresh) {
            ($0.lastValue, $0.usual, $0.radio) = (s(1_050), s(1), .back(since: s(101), back: s(1_000)))
        },
        Row("1 Hz, 80 s ago, and the radio failed for 20 s", at: 180, .late, since: 100) {
            ($0.lastValue, $0.usual, $0.pauses) = (s(100), s(1), [.init(since: s(110), back: s(130))])
        },
        Row("1 Hz, 81 s ago, and the radio failed for 20 s", at: 181, .silent, since: 100) {
            ($0.lastValue, $0.usual, $0.pauses) = (s(100), s(1), [.init(since: s(110), back: s(130))])
        },
        Row("the radio failed before its last value", at: 161, .silent, since: 100) {
            ($0.lastValue, $0.usual, $0.pauses) = (s(100), s(1), [.init(since: s(70), back: s(90))])
        },
        Row("the radio was deaf, and listens for 60 s", at: 241, .unknown, since: 101) {
            ($0.lastValue, $0.usual, $0.heardAt) = (s(100), s(1), s(240))
            ($0.deafness, $0.pauses) = (.init(since: s(101), back: s(181)), [.init(since: s(161), back: s(181))])
        },
        Row("the radio was deaf, and listens for 61 s", at: 242, .silent, since: 100) {
            ($0.lastValue, $0.usual, $0.heardAt) = (s(100), s(1), s(240))
            ($0.deafness, $0.pauses) = (.init(since: s(101), back: s(181)), [.init(since: s(161), back: s(181))])
        },
        Row("the radio was deaf, and seeks the sensor's link for 60 s", at: 241, .unknown, since: 101) {
            ($0.lastValue, $0.usual, $0.heardAt, $0.soughtSince) = (s(100), s(600), s(240), s(101))
            $0.deafness = .init(since: s(101), back: s(181))
        },
        Row("the radio was deaf, and seeks the sensor's link for 61 s", at: 242, .silent, since: 100) {
            ($0.lastValue, $0.usual, $0.heardAt, $0.soughtSince) = (s(100), s(600), s(240), s(101))
            $0.deafness = .init(since: s(101), back: s(181))
        },
        Row("the radio is back, and seeks the sensor's link for 60 s", at: 1_060, .unknown, since: 101) {
            ($0.lastValue, $0.usual, $0.soughtSince) = (s(100), s(600), s(101))
            $0.radio = .back(since: s(101), back: s(1_000))
        },
        Row("its last value came after the radio was deaf", at: 243, .silent, since: 182) {
            ($0.lastValue, $0.usual, $0.heardAt) = (s(182), s(1), s(240))
            $0.deafness = .init(since: s(101), back: s(181))
        },
        Row("it was silent before the radio was deaf", at: 190, .silent, since: 100) {
            ($0.lastValue, $0.usual, $0.heardAt) = (s(100), s(1), s(189))
            $0.deafness = .init(since: s(156), back: s(181))
        },
        Row("it fell silent five seconds after the radio last heard", at: 190, .unknown, since: 155) {
            ($0.lastValue, $0.usual, $0.heardAt) = (s(100), s(1), s(189))
            $0.deafness = .init(since: s(155), back: s(181))
        },
        Row("the radio was deaf, and its packets cannot be read", at: 190, .notUnderstood, since: 100) {
            ($0.lastValue, $0.usual, $0.unreadAt, $0.heardAt) = (s(100), s(1), s(182), s(189))
            $0.deafness = .init(since: s(101), back: s(181))
        },
        Row("its link is sought for a minute", at: 161, .fresh) {
            ($0.lastValue, $0.usual, $0.soughtSince) = (s(100), s(600), s(101))
        },
        Row("its link is sought for more than a minute", at: 162, .silent, since: 100) {
            ($0.lastValue, $0.usual, $0.soughtSince) = (s(100), s(600), s(101))
        },
        Row("its poll finds no link, once", at: 1_300, .fresh) {
            ($0.lastValue, $0.pace, $0.soughtSince) = (s(100), s(600), s(700))
        },
        Row("three polls found no link", at: 1_901, .silent, since: 100) {
            ($0.lastValue, $0.pace, $0.soughtSince) = (s(100), s(600), s(700))
        },
        Row("the entry's patience counts for a lost link, too", at: 900, .late, since: 100) {
            ($0.lastValue, $0.usual, $0.soughtSince, $0.silentAfter) = (s(100), s(1), s(101), s(3_600))
        },
        Row("silent, and others are heard", at: 161, .silent, since: 100) {
            ($0.lastValue, $0.usual, $0.heardAt) = (s(100), s(1), s(157))
        },
        Row("nobody is heard since its last value", at: 161, .unknown, since: 101) {
            ($0.lastValue, $0.usual, $0.heardAt) = (s(100), s(1), s(101))
        },
        Row("nobody is heard, and the radio had two minutes", at: 222, .silent, since: 100) {
            ($0.lastValue, $0.usual, $0.heardAt) = (s(100), s(1), s(101))
        },
        Row("nobody is heard, and the controller refuses to scan", at: 900, .unknown, since: 101) {
            ($0.lastValue, $0.usual, $0.heardAt, $0.isRefused) = (s(100), s(1), s(101), true)
        },
        Row("it was silent before the radio heard nobody any more", at: 200, .silent, since: 100) {
            ($0.lastValue, $0.usual, $0.heardAt) = (s(100), s(1), s(170))
        },
        Row("nobody is heard, and its interval is long", at: 161, .fresh) {
            ($0.lastValue, $0.usual, $0.heardAt) = (s(100), s(600), s(101))
        },
        Row("its entry says 10 s, and nobody is heard", at: 111, .unknown, since: 100) {
            ($0.lastValue, $0.usual, $0.silentAfter, $0.heardAt) = (s(100), s(1), s(10), s(99))
        },
        Row("its packets cannot be read, and are the last that were heard", at: 200, .notUnderstood, since: 100) {
            ($0.lastValue, $0.usual, $0.unreadAt, $0.heardAt) = (s(100), s(1), s(140), s(140))
        },
        Row("times at the ends of their range", at: .max / 1_000, .silent, since: .min / 1_000) {
            ($0.lastValue, $0.usual) = (.min / 1_000 * 1_000, .max)
            $0.silentAfter = .max - 1
        },
    ]

    @Test(arguments: rows) func `a row of the table`(_ row: Row) {
        let judgement = row.facts.judge(at: row.now * 1_000, SilenceLimits())
        #expect(judgement.state == row.state)
        #expect(judgement.since == row.since.map { $0 * 1_000 })
    }

    @Test func `each change is told once, with the time without a value, and the next one is known before`() {
        let limits = SilenceLimits()
        var standing = SensorStanding()
        var facts = SensorFacts(began: 0)
        #expect(standing.update(facts, at: 5_000, limits) == nil && standing.since == 0)
        (facts.lastValue, facts.usual) = (10_000, 1_000)
        #expect(standing.update(facts, at: 10_000, limits)?.to == .fresh)
        #expect(standing.nextChange(facts, after: 10_000, limits) == 40_001)
        #expect(standing.update(facts, at: 40_000, limits) == nil)
        #expect(standing.update(facts, at: 40_001, limits) == .init(from: .fresh, to: .late, quietMs: 30_001))
        #expect(standing.nextChange(facts, after: 40_001, limits) == 70_001)
        // The loss of the value's characteristic makes no other state.
        facts.lastValue = nil
        #expect(standing.update(facts, at: 70_001, limits) == .init(from: .late, to: .silent, quietMs: 60_001))
        #expect(standing.since == 10_000)
        #expect(
            standing.update(facts, at: 99_000, limits) == nil
                && standing.nextChange(facts, after: 99_000, limits) == nil)
        facts.lastValue = 100_000
        #expect(standing.update(facts, at: 100_500, limits) == .init(from: .silent, to: .fresh, quietMs: 90_000))
        facts.isElsewhere = true
        #expect(standing.update(facts, at: 101_000, limits)?.to == .elsewhere && standing.isPresentHere)
        #expect(standing.update(facts, at: 161_000, limits) == nil && !standing.isPresentHere)
    }

    @Test func `a link is sought since the first word of it, and an unknown state began when the first fact says`() {
        let limits = SilenceLimits()
        var standing = SensorStanding()
        var facts = SensorFacts(began: 0)
        (facts.lastValue, facts.usual) = (100_000, 600_000)
        for moment: Int64 in [101_000, 130_000, 161_000] {
            standing.recordLink(isSought: true, at: moment)
            #expect(standing.update(facts, at: moment, limits)?.to != .silent)
        }
        standing.recordLink(isSought: true, at: 161_001)
        #expect(standing.update(facts, at: 161_001, limits)?.to == .silent)
        // Nobody is heard since 110 s, and the radio's failure is found at 180 s.
        standing = SensorStanding()
        (facts.usual, facts.heardAt) = (1_000, 110_000)
        #expect(standing.update(facts, at: 165_000, limits)?.to == .unknown && standing.since == 110_000)
        facts.radio = .failed(since: 180_000)
        #expect(standing.update(facts, at: 211_000, limits) == nil && standing.since == 110_000)
    }

    @Test func `a link was sought until a value comes on it`() {
        var standing = SensorStanding()
        var facts = SensorFacts(began: 0)
        facts.lastValue = 1_000
        standing.recordLink(isSought: false, at: 1_000)
        _ = standing.update(facts, at: 1_000, SilenceLimits())
        #expect(!standing.wasSought)
        standing.recordLink(isSought: true, at: 2_000)
        standing.recordLink(isSought: false, at: 3_000)
        _ = standing.update(facts, at: 3_000, SilenceLimits())
        #expect(standing.wasSought)
        facts.lastValue = 3_500
        _ = standing.update(facts, at: 4_000, SilenceLimits())
        #expect(!standing.wasSought)
    }

    @Test func `a failure that was found later than it began was deafness, for those who are heard in this way`() {
        let limits = SilenceLimits()
        var outage = RadioOutage()
        let signs = RadioOutage.Signs(advert: 100_000, link: 155_000)
        outage.look(isWorking: true, hearing: signs, at: 150_000, limits)
        #expect(outage.deafness(isLinked: false, at: 150_000, limits) == nil)
        outage.look(isWorking: false, hearing: signs, at: 160_000, limits)
        outage.look(isWorking: false, hearing: .init(advert: 161_000), at: 161_000, limits)
        #expect(outage.deafness(isLinked: false, at: 170_000, limits) == .init(since: 100_000, back: 170_000))
        // Five seconds without a packet are no deafness.
        #expect(outage.deafness(isLinked: true, at: 170_000, limits) == nil)
        outage.look(isWorking: true, hearing: .init(advert: 180_000), at: 181_000, limits)
        #expect(outage.deafness(isLinked: false, at: 900_000, limits) == .init(since: 100_000, back: 181_000))
        outage.look(isWorking: false, hearing: .init(advert: 899_000), at: 900_000, limits)
        #expect(outage.deafness(isLinked: false, at: 900_000, limits) == nil)
    }

    @Test func `a sensor that a deaf radio did not hear is judged again when the radio has listened for long enough`() {
        let limits = SilenceLimits()
        var standing = SensorStanding()
        var facts = SensorFacts(began: 0)
        (facts.lastValue, facts.usual, facts.heardAt) = (100_000, 1_000, 182_000)
        facts.deafness = .init(since: 101_000, back: 181_000)
        standing.recordLink(isSought: true, at: 101_000)
        #expect(standing.update(facts, at: 182_000, limits)?.to == .unknown)
        #expect(standing.nextChange(facts, after: 182_000, limits) == 241_001)
        facts.heardAt = 241_000
        #expect(standing.update(facts, at: 241_000, limits) == nil)
        #expect(standing.update(facts, at: 241_001, limits)?.to == .silent)
    }

    @Test func `a radio that comes and goes within half a minute says nothing of sensors`() {
        let limits = SilenceLimits()
        var outage = RadioOutage()
        for turn in 0..<30 as Range<Int64> {
            outage.look(isWorking: false, at: turn * 40_000, limits)
            #expect(outage.fact(at: turn * 40_000 + 20_000, limits) == .works)
            outage.look(isWorking: true, at: turn * 40_000 + 20_000, limits)
        }
        outage.look(isWorking: false, at: 2_000_000, limits)
        #expect(outage.nextChange(after: 2_000_000, limits) == 2_030_001)
        #expect(outage.fact(at: 2_030_000, limits) == .works)
        #expect(outage.pauses(at: 2_030_000, limits).last == .init(since: 2_000_000, back: 2_030_000))
        #expect(outage.pauses(at: 2_030_001, limits).count == 30)
        #expect(outage.fact(at: 2_030_001, limits) == .failed(since: 2_000_000))
        outage.look(isWorking: true, at: 2_100_000, limits)
        #expect(outage.fact(at: 2_100_000, limits) == .back(since: 2_000_000, back: 2_100_000))
    }
}

@Suite("How long the radio was known to hear")
struct HearingTimeTests {
    @Test func `entries without a sensor wait until the radio has heard for ten seconds`() {
        let limits = SilenceLimits()
        var hearing = HearingTime()
        for second in stride(from: Int64(0), through: 4, by: 2) {
            hearing.look(heardAt: second * 1_000 - 500, at: second * 1_000, limits)
        }
        // The scan hears nobody: the time does not count.
        for second in stride(from: Int64(10), through: 60, by: 2) {
            hearing.look(heardAt: 4_000, at: second * 1_000, limits)
        }
        #expect(hearing.isShort(at: 60_000, limits))
        for second in stride(from: Int64(62), through: 66, by: 2) {
            hearing.look(heardAt: second * 1_000, at: second * 1_000, limits)
        }
        #expect(!hearing.isShort(at: 66_000, limits))
    }

    @Test func `a radio that hears nobody has its fault found after two minutes, or has none`() {
        let limits = SilenceLimits()
        var hearing = HearingTime()
        hearing.look(heardAt: nil, at: 5_000, limits)
        hearing.look(heardAt: nil, at: 60_000, limits)
        #expect(hearing.isShort(at: 125_000, limits) && !hearing.isShort(at: 125_001, limits))
    }
}
