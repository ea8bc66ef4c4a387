// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Collector

@Suite("More sensors than links: the order of turns")
struct SlotScheduleTests {
    private static func claim(
        _ number: UInt8, _ phase: SlotClaim.Phase = .waiting, due: Int64 = 0, every interval: Int64? = nil,
        isMissed: Bool = false, isCandidate: Bool = false
    ) -> SlotClaim {
        SlotClaim(
            key: key(number), phase: phase, due: due, interval: interval, isMissed: isMissed, isCandidate: isCandidate)
    }

    private static func key(_ number: UInt8) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
    }

    private static func linked(since: Int64, served: Bool = true, busy: Bool = false) -> SlotClaim.Phase {
        .linked(since: since, isServed: served, isBusy: busy)
    }

    @Test func `where there are links for all, all are asked for and nobody's link ends`() {
        let schedule = SlotSchedule(
            [Self.claim(1, due: 90_000), Self.claim(2), Self.claim(3, Self.linked(since: 0))], links: 3, at: 50_000)
        #expect(schedule.ask == [Self.key(2), Self.key(1)] && schedule.end.isEmpty && !schedule.isShort)
    }

    @Test func `a sensor waits when it is due and no link is free`() {
        let holder = Self.claim(1, Self.linked(since: 0))
        #expect(SlotSchedule([Self.claim(2)], links: 0, at: 10).isWaiting, "strangers have all links")
        #expect(SlotSchedule([holder, Self.claim(2)], links: 1, at: 10).isWaiting)
        #expect(!SlotSchedule([holder, Self.claim(2, due: 90_000)], links: 1, at: 10).isWaiting, "it is due later")
        #expect(!SlotSchedule([holder, Self.claim(2), Self.claim(3)], links: 2, at: 10).isWaiting, "a link is free")
    }

    private static func candidate(
        _ number: UInt8, _ phase: SlotClaim.Phase = .waiting, due: Int64 = 0, isMute: Bool = true
    ) -> SlotClaim {
        var claim = claim(number, phase, due: due, isCandidate: true)
        (claim.isMute, claim.order) = (isMute, UInt64(number))
        return claim
    }

    @Test func `a candidate that answers nothing gives its link up after five seconds, for one that waits`() {
        let limits = SlotLimits()
        let mute = Self.candidate(1, Self.linked(since: 0, served: false))
        let slow = Self.candidate(2, Self.linked(since: 0, served: false), isMute: false)
        let others = [Self.claim(8, Self.linked(since: 0)), Self.claim(9, Self.linked(since: 0))]
        func end(at now: Int64, _ more: SlotClaim...) -> [UUID] {
            SlotSchedule([mute, slow] + others + more, links: 4, at: now).end
        }
        let waiting = Self.candidate(3)
        #expect(end(at: limits.muteTurn - 1, waiting).isEmpty)
        #expect(end(at: limits.muteTurn, waiting) == [Self.key(1)])
        #expect(end(at: limits.longestTurn, waiting) == [Self.key(1)], "one waits, and one link is enough")
        #expect(end(at: limits.longestTurn, waiting, Self.candidate(4)).contains(Self.key(2)))
        #expect(end(at: limits.muteTurn).isEmpty, "nobody waits")
    }

    @Test func `of candidates that had no turn yet the newest and the oldest alternate`() {
        let crowd = (1...9).map { Self.candidate(UInt8($0)) }
        let schedule = SlotSchedule(crowd, links: 8, at: 10)
        #expect(schedule.ask == [9, 1, 8, 2].map(Self.key))
        var tired = Self.candidate(9, due: 5)
        tired.order = 9
        let later = SlotSchedule(crowd.dropLast() + [tired], links: 8, at: 10)
        #expect(later.ask == [8, 1, 7, 2].map(Self.key), "one that had its turn comes after them")
    }

    @Test func `one that was mute waits longer with each turn, whether it is heard or not`() {
        var turn = SlotTurn()
        turn.connected(at: 0)
        turn.ended(interval: nil, at: 5_000)
        turn.wasMute(at: 5_000)
        #expect(turn.due == 35_000)
        turn.heard(at: 6_000)
        #expect(turn.due == 35_000)
        turn.wasMute(at: 40_000)
        #expect(turn.due == 100_000)
        for _ in 0..<40 { turn.wasMute(at: 0) }
        #expect(turn.due == 1_800_000)
    }

    @Test func `the links of others are left to them, and one that a sensor is about to have is no other's`() {
        func links(used: Int, _ phases: SlotClaim.Phase...) -> Int {
            let claims = phases.enumerated().map { Self.claim(UInt8($0.offset), $0.element) }
            return SlotSchedule.links(ofLimit: 2, used: used, claims: claims)
        }
        #expect(links(used: 0, .waiting, .waiting) == 2)
        #expect(links(used: 2, Self.linked(since: 0), Self.linked(since: 0), .waiting) == 2)
        #expect(links(used: 2, Self.linked(since: 0), .asked(since: 0)) == 2)
        #expect(links(used: 2, Self.linked(since: 0), .ending, .waiting) == 2)
        #expect(links(used: 2, Self.linked(since: 0), .waiting) == 1, "a phone has one")
        #expect(links(used: 3, .waiting) == 0)
    }

    @Test func `free links go to those that have waited longest, and two more are asked for`() {
        let waiting = (1...6).map { Self.claim($0, due: Int64(10 - $0)) }
        let schedule = SlotSchedule(waiting + [Self.claim(9, Self.linked(since: 0))], links: 2, at: 100)
        #expect(schedule.ask == [6, 5, 4].map(Self.key) && schedule.end.isEmpty && schedule.isShort)
    }

    @Test func `who is content with turns gives the link up first, as soon as it was served`() {
        let holders = [
            Self.claim(1, Self.linked(since: 0)), Self.claim(2, Self.linked(since: 40_000), every: 60_000),
            Self.claim(3, Self.linked(since: 40_000, served: false), every: 60_000),
        ]
        let schedule = SlotSchedule(holders + [Self.claim(4), Self.claim(5)], links: 3, at: 50_000)
        #expect(schedule.end == [Self.key(2)], "3 is content with a turn as well, and will be free by itself")
        // No sensor gives up a place that a periodic sensor could give.
        let periodic = SlotSchedule(holders + [Self.claim(4, every: 60_000), Self.claim(5)], links: 3, at: 50_000)
        #expect(periodic.end == [Self.key(2)])
        #expect(periodic.next == 70_000, "when the one that was not served has had its time")
    }

    @Test func `who wants to keep a link waits for one that is content with a turn, and does not go round the others`()
    {
        func schedule(_ since: Int64) -> SlotSchedule {
            let keepers = (1...3).map { Self.claim($0, Self.linked(since: 0)) }
            let polled = Self.claim(4, Self.linked(since: since, served: false), every: 60_000)
            return SlotSchedule(keepers + [polled, Self.claim(5, due: 100_000)], links: 4, at: 100_000)
        }
        #expect(schedule(99_000).end.isEmpty)
        #expect(schedule(60_000).end == [Self.key(4)], "it has had its time")
        // Two sensors wait, and one place becomes free by itself: one linked sensor gives way.
        let keepers = (1...3).map { Self.claim($0, Self.linked(since: 0)) }
        let polled = Self.claim(4, Self.linked(since: 99_000, served: false), every: 60_000)
        let two = SlotSchedule(keepers + [polled, Self.claim(5), Self.claim(6)], links: 4, at: 100_000)
        #expect(two.end == [Self.key(1)])
    }

    @Test func `where all want to keep their links, the oldest ends after its time`() {
        let holders = [Self.claim(1, Self.linked(since: 0)), Self.claim(2, Self.linked(since: 5_000))]
        let early = SlotSchedule(holders + [Self.claim(3, due: 1)], links: 2, at: 9_000)
        #expect(early.end.isEmpty && early.next == SlotLimits().shortestTurn)
        let late = SlotSchedule(holders + [Self.claim(3, due: 1)], links: 2, at: 20_000)
        #expect(late.end == [Self.key(1)])
        // A periodic sensor gets a turn, too, if no other periodic sensor has a place to give.
        let periodic = SlotSchedule(holders + [Self.claim(3, due: 1, every: 60_000)], links: 2, at: 20_000)
        #expect(periodic.end == [Self.key(1)])
    }

    @Test func `links that end already are not counted twice`() {
        let claims = [
            Self.claim(1, .ending), Self.claim(2, Self.linked(since: 0)), Self.claim(3), Self.claim(4, due: 90_000),
        ]
        let schedule = SlotSchedule(claims, links: 2, at: 50_000)
        #expect(schedule.end.isEmpty && schedule.ask.isEmpty && schedule.next == 90_000)
    }

    @Test func `who is busy keeps its link, and who brought nothing has its time`() {
        let claims = [
            Self.claim(1, Self.linked(since: 0, busy: true)), Self.claim(2, Self.linked(since: 30_000, served: false)),
            Self.claim(3),
        ]
        let schedule = SlotSchedule(claims, links: 2, at: 50_000)
        #expect(schedule.end.isEmpty && schedule.next == 60_000)
        #expect(SlotSchedule(claims, links: 2, at: 60_000).end == [Self.key(2)])
    }

    @Test func `one that does not come misses its turn, and of those one at a time takes a link from another`() {
        let asked = Self.claim(1, .asked(since: 0))
        let holder = Self.claim(2, Self.linked(since: 0))
        let before = SlotSchedule([asked, holder, Self.claim(3, Self.linked(since: 0))], links: 2, at: 14_999)
        #expect(before.pass.isEmpty && before.next == 15_000)
        #expect(
            SlotSchedule([asked, holder, Self.claim(3, Self.linked(since: 0))], links: 2, at: 15_000).pass
                == [Self.key(1)])
        let away = (3...6).map { Self.claim($0, isMissed: true) }
        let holders = (7...9).map { Self.claim($0, Self.linked(since: 0)) }
        #expect(SlotSchedule(away + holders, links: 3, at: 60_000).end.count == 1)
    }

    @Test func `a crowd with a sensor's name gets half of the links`() {
        let crowd = (1...9).map { Self.claim($0, due: Int64($0), isCandidate: true) }
        let schedule = SlotSchedule(crowd + [Self.claim(20, due: 50)], links: 4, at: 100)
        #expect(schedule.ask == [1, 2, 20].map(Self.key))
        let trying = [30, 31].map { Self.claim($0, .asked(since: 99), isCandidate: true) }
        let tried = SlotSchedule(
            trying + crowd + [Self.claim(20, due: 50)], links: 4, at: 100)
        #expect(tried.ask == [Self.key(20)])
    }

    // MARK: Hours in a moment

    /// A house of sensors, each with a link within `delay` after the request.
    private struct House {
        struct Sensor {
            var turn = SlotTurn()
            var interval: Int64?
            var isAway = false
            var since: Int64?
            var turns: [Int64] = []
            var onLink: Int64 = 0
        }

        var sensors: [Sensor]
        let links: Int
        let delay: Int64 = 1_000
        var clock: Int64 = 0

        mutating func run(for duration: Int64) {
            defer { clock += duration }
            for now in stride(from: clock, to: clock + duration, by: 250) {
                for index in sensors.indices {
                    guard let asked = sensors[index].turn.askedAt, sensors[index].since == nil, !sensors[index].isAway,
                        now - asked >= delay
                    else { continue }
                    guard sensors.count(where: { $0.since != nil }) < links else {
                        sensors[index].turn.refused()
                        continue
                    }
                    sensors[index].turn.connected(at: now)
                    sensors[index].since = now
                    sensors[index].turns.append(now)
                }
                let claims = sensors.enumerated().map { index, sensor in
                    let phase: SlotClaim.Phase =
                        if let since = sensor.since {
                            .linked(since: since, isServed: now - since >= 1_000, isBusy: false)
                        } else if let asked = sensor.turn.askedAt {
                            .asked(since: asked)
                        } else {
                            .waiting
                        }
                    return SlotClaim(
                        key: SlotScheduleTests.key(UInt8(index)), phase: phase, due: sensor.turn.due,
                        interval: sensor.interval, isMissed: sensor.turn.misses > 0,
                        isOvertaken: sensor.turn.isOvertaken)
                }
                let schedule = SlotSchedule(claims, links: links, at: now)
                func index(_ key: UUID) -> Int { Int(key.uuid.15) }
                for key in schedule.pass { sensors[index(key)].turn.missed(at: now) }
                for key in schedule.ask { sensors[index(key)].turn.asked(at: now) }
                for key in schedule.end {
                    let index = index(key)
                    sensors[index].onLink += now - (sensors[index].since ?? now)
                    sensors[index].since = nil
                    sensors[index].turn.ended(interval: sensors[index].interval, at: now)
                }
            }
        }
    }

    @Test func `of 64 that want their links always, each has the same of 8`() {
        var house = House(sensors: Array(repeating: House.Sensor(), count: 64), links: 8)
        house.run(for: 3_600_000)
        let turns = house.sensors.map(\.turns.count)
        #expect((turns.min() ?? 0) > 30 && (turns.max() ?? 0) - (turns.min() ?? 0) <= 2, "\(turns)")
        let longest = house.sensors.flatMap { zip($0.turns, $0.turns.dropFirst()).map { $1 - $0 } }.max() ?? .max
        #expect(longest < 130_000, "64 turns of 10 s on 8 links, and a second for each to come: \(longest)")
    }

    @Test func `what is wanted now and then comes as often, and streams keep their links`() {
        var house = House(sensors: Array(repeating: House.Sensor(), count: 24), links: 8)
        for index in 3..<24 { house.sensors[index].interval = index < 14 ? 60_000 : 300_000 }
        house.run(for: 3_600_000)
        for (index, sensor) in house.sensors.enumerated() {
            let gaps = zip(sensor.turns, sensor.turns.dropFirst()).map { $1 - $0 }
            if index < 3 {
                #expect(sensor.turns.count <= 2 && sensor.since != nil, "\(index): \(sensor.turns)")
            } else {
                #expect((gaps.max() ?? .max) <= (sensor.interval ?? 0) + 10_000, "\(index): \(gaps)")
                #expect(!gaps.isEmpty)
            }
        }
    }

    @Test func `some that are away cost the others little, and are tried for as long as it takes`() {
        var house = House(sensors: Array(repeating: House.Sensor(), count: 20), links: 4)
        for index in 0..<6 { house.sensors[index].isAway = true }
        house.run(for: 3_600_000)
        let longest = house.sensors.dropFirst(6).flatMap { zip($0.turns, $0.turns.dropFirst()).map { $1 - $0 } }.max()
        #expect((longest ?? .max) < 90_000, "14 turns of 11 s on 4 links, and those that are away: \(longest ?? 0)")
        for index in house.sensors.indices where index < 6 {
            #expect(house.sensors[index].turn.misses > 3)
            house.sensors[index].isAway = false
        }
        let known = house.sensors.map(\.turns.count)
        house.run(for: 3_600_000)
        #expect(zip(house.sensors.map(\.turns.count), known).allSatisfy { $0 > $1 })
    }

    @Test func `hours without an answer bring no overflow, and a sighting ends the pause`() {
        var turn = SlotTurn()
        for _ in 0..<100 { turn.missed(at: .max - 5) }
        #expect(turn.due == .max && turn.misses == 100)
        turn = SlotTurn()
        for _ in 0..<20 { turn.missed(at: 1_000) }
        #expect(turn.due == 1_801_000)
        turn.heard(at: 5_000)
        #expect(turn.due == 5_000)
        turn.connected(at: 6_000)
        turn.ended(interval: 60_000, at: 9_000)
        #expect(turn.due == 66_000 && turn.misses == 0)
        turn.connected(at: 70_000)
        #expect(turn.period == 64_000)
        turn.ended(interval: nil, at: 80_000)
        #expect(turn.due == 80_000)
    }
}
