// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Testing

@testable import Collector

@Suite("When commands are written")
struct CommandScheduleTests {
    private static let start = DispatchTime(uptimeNanoseconds: 1_000_000_000)

    @Test func `a round follows the set-up, and the next one an interval later`() {
        var schedule = CommandSchedule()
        schedule.setUp()
        #expect(schedule.deadline == nil)
        let isFirst = schedule.beginRound(at: Self.start, every: .seconds(60))
        #expect(isFirst)
        #expect(schedule.deadline == Self.start + .seconds(60))
        schedule.asked()
        #expect(!schedule.isRoundTaken)
        let isOurs = schedule.answered(isRefusal: false)
        #expect(isOurs && schedule.isRoundTaken && schedule.written == 1)
        let isSecond = schedule.beginRound(at: Self.start + .seconds(60), every: nil)
        #expect(isSecond)
        #expect(schedule.deadline == nil, "without an interval, once a link")
    }

    @Test func `a round is left out while the sensor owes answers, and the time goes on`() {
        var schedule = CommandSchedule()
        let isBegun = schedule.beginRound(at: Self.start, every: .seconds(1))
        #expect(isBegun)
        for _ in 0..<2 { schedule.asked() }
        for round in 1...3 {
            let isTaken = schedule.beginRound(at: Self.start + .seconds(round), every: .seconds(1))
            #expect(!isTaken && schedule.leftOut == round)
        }
        #expect(schedule.deadline == Self.start + .seconds(4))
        let first = schedule.answered(isRefusal: true)
        #expect(first && !schedule.isRoundTaken && schedule.refused == 1)
        let isNext = schedule.beginRound(at: Self.start + .seconds(4), every: .seconds(1))
        #expect(!isNext, "one answer is missing")
        let second = schedule.answered(isRefusal: false)
        #expect(second && !schedule.isRoundTaken, "one of the two was refused")
        let isAllowed = schedule.beginRound(at: Self.start + .seconds(5), every: .seconds(1))
        #expect(isAllowed)
        #expect(schedule.counts == ["written": 1, "refused": 1, "left-out": 4])
    }

    @Test func `an answer that nobody waits for counts nothing, and the end of a link ends the rounds`() {
        var schedule = CommandSchedule()
        let stray = schedule.answered(isRefusal: false)
        #expect(!stray && schedule.written == 0)
        _ = schedule.beginRound(at: Self.start, every: .seconds(1))
        schedule.asked()
        schedule.linkEnded()
        #expect(schedule.deadline == nil)
        let late = schedule.answered(isRefusal: false)
        #expect(!late)
        let isTaken = schedule.beginRound(at: Self.start, every: .seconds(1))
        #expect(isTaken, "the next link owes nothing")
        schedule.sent()
        schedule.failed()
        #expect(schedule.written == 1 && schedule.refused == 1 && !schedule.isRoundTaken)
    }
}
