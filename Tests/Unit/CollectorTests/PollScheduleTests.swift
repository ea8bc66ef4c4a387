// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Collector

@Suite("When sensors are read again")
struct PollScheduleTests {
    private static func rule(
        every seconds: Int?, subscribes: Bool = false, link: SensorRule.LinkUse? = nil
    ) -> SensorRule {
        let feed = SensorRule.Feed(service: 0x181A, characteristic: 0x2A6E)
        var rule = SensorRule()
        rule.read = [feed]
        rule.readInterval = seconds.map { .seconds($0) }
        rule.linkUse = link
        if subscribes { rule.subscribe = [SensorRule.Feed(service: 0x180F, characteristic: 0x2A19)] }
        return rule
    }

    @Test("the link stays where values come by themselves or often, and as the entry says")
    func links() {
        #expect(PollSchedule(Self.rule(every: nil)) == nil)
        var bare = Self.rule(every: 10)
        bare.read = []
        #expect(PollSchedule(bare) == nil)
        #expect(PollSchedule(Self.rule(every: 59))?.closesLink == false)
        #expect(PollSchedule(Self.rule(every: 60))?.closesLink == true)
        #expect(PollSchedule(Self.rule(every: 3600, subscribes: true))?.closesLink == false)
        #expect(PollSchedule(Self.rule(every: 3600, link: .hold))?.closesLink == false)
        #expect(PollSchedule(Self.rule(every: 5, link: .close))?.closesLink == true)
    }

    @Test("polls come by the clock; missed polls are left out")
    func times() throws {
        var polls = try #require(PollSchedule(Self.rule(every: 10)))
        polls.began(at: 1_000)
        #expect(polls.next == 11_000)
        polls.began(at: 11_700)
        #expect(polls.next == 21_000, "late by what connecting took")
        polls.began(at: 30_999)
        #expect(polls.next == 31_000)
        polls.began(at: 41_000)
        #expect(polls.next == 51_000, "a whole interval too late")
        // A link came about by itself before the time.
        polls.began(at: 45_000)
        #expect(polls.next == 55_000)
    }
}
