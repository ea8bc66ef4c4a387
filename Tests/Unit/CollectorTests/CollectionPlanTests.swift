// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Testing

@testable import Collector

/// The plan by which the values of a sensor are collected on links, and the work on links beside values.
@Suite struct CollectionPlanTests {
    private static let feed = SensorRule.Feed(
        service: BluetoothUUID(0x181A as UInt16), characteristic: BluetoothUUID(0x2A6E as UInt16))

    private static func rule(
        reads every: Duration? = nil, subscribes: Bool = false, wants interval: Duration? = nil, numbers: Int? = nil
    ) -> SensorRule {
        var rule = SensorRule()
        rule.id = "a"
        if let every { (rule.read, rule.readInterval) = ([feed], every) }
        if subscribes { rule.subscribe = [feed] }
        rule.valueInterval = interval
        rule.sequence = numbers.map { length in
            var sequence = SensorRule.Sequence(feed: feed)
            sequence.length = length
            return sequence
        }
        return rule
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var rule: SensorRule
        var wanted: Int64?
        var link: Int64?
        var hasPolls = true
    }

    static let rows = [
        Row(testDescription: "nothing to read", rule: rule(subscribes: true), wanted: nil, link: nil, hasPolls: false),
        Row(testDescription: "a short poll", rule: rule(reads: .seconds(10)), wanted: 10_000, link: nil),
        Row(testDescription: "a long poll", rule: rule(reads: .seconds(600)), wanted: 600_000, link: 600_000),
        Row(testDescription: "polls beside values", rule: rule(reads: .seconds(600), subscribes: true)),
        Row(
            testDescription: "the rule's own interval",
            rule: rule(reads: .seconds(600), subscribes: true, wants: .seconds(5)), wanted: 5_000),
        Row(
            testDescription: "the rule's own interval above polls",
            rule: rule(reads: .seconds(600), wants: .seconds(5)), wanted: 5_000, link: 600_000),
    ]

    @Test(arguments: rows)
    func `the wanted interval is the rule's, or that of polls where nothing else brings values`(row: Row) {
        let plan = CollectionPlan(row.rule)
        #expect(plan.wantedInterval(row.rule) == row.wanted)
        #expect(plan.linkInterval == row.link && plan.closesLink == (row.link != nil))
        #expect(plan.hasPolls == row.hasPolls)
    }

    @Test func `polls in place of a refused subscription last until the next set-up`() {
        let rule = Self.rule(subscribes: true, wants: .seconds(20))
        var plan = CollectionPlan(rule)
        plan.setUpBegan(at: 1_000)
        #expect(!plan.hasPolls && plan.nextPoll == nil)
        plan.readInstead(rule, at: 2_000)
        plan.readInstead(rule, at: 9_000)
        #expect(plan.pollInterval == 20_000 && plan.nextPoll == 22_000 && !plan.closesLink)
        plan.pollBegan(at: 22_000)
        #expect(plan.nextPoll == 42_000)
        plan.setUpBegan(at: 50_000)
        #expect(!plan.hasPolls, "the sensor may take its subscriptions now")
    }

    @Test func `a set-up reads all values, so the next poll is an interval later`() {
        let rule = Self.rule(reads: .seconds(10))
        var plan = CollectionPlan(rule)
        plan.readInstead(rule, at: 500)
        #expect(plan.nextPoll == nil, "the rule has polls of its own")
        plan.setUpBegan(at: 1_000)
        #expect(plan.hasPolls && plan.nextPoll == 11_000)
    }

    @Test func `a changed rule has new polls, and counts anew only if its numbers are elsewhere`() {
        let former = Self.rule(subscribes: true, numbers: 2)
        var plan = CollectionPlan(former)
        let gaps = [7, 10, 11].map { plan.gap(before: $0, of: 1) }
        #expect(gaps == [nil, 2, nil] && plan.gap == 2 && plan.numbers == "11" && plan.isNumbered)
        let polled = Self.rule(reads: .seconds(10), subscribes: true, numbers: 2)
        plan.change(from: former, to: polled)
        #expect(plan.gap == 2 && plan.pollInterval == 10_000)
        plan.change(from: polled, to: Self.rule(numbers: 1))
        #expect(plan.gap == 0 && plan.numbers == nil && !plan.hasPolls)
        plan.change(from: Self.rule(numbers: 1), to: Self.rule())
        let none = plan.gap(before: 1, of: 1)
        #expect(plan.gap == nil && none == nil && !plan.isNumbered)
    }

    @Test func `numbers go on from an earlier run, and a restart shows on a new link only`() {
        var plan = CollectionPlan(Self.rule(subscribes: true, numbers: 2))
        plan.resume(after: "7")
        let first = plan.gap(before: 9, of: 1)
        #expect(first == 1)
        plan.connected()
        let afterLink = plan.gap(before: 40_000, of: 1)
        #expect(afterLink == 39_990, "a far number is lost values on a new link")
        let onLink = plan.gap(before: 2, of: 1)
        #expect(onLink == 25_537)
    }

    @Test func `what the sensor lacks is news when it changes`() {
        var plan = CollectionPlan(Self.rule(subscribes: true))
        let news = [[], ["2a6e"], ["2a6e"], ["2a19"], [], ["2a19"]].map { plan.recordMissing($0) }
        #expect(news == [false, true, false, true, false, true] && plan.missing == ["2a19"])
    }

    @Test func `an earlier run is asked for the newest record once, and each link asks the sensor again`() {
        var plan = CollectionPlan(Self.rule(subscribes: true))
        let before = (plan.recordRequest(), plan.isNewRecord([0, 1, 0]), plan.recordAnswer([6, 0, 1, 1]))
        #expect(before.0 == nil && before.1 && before.2 == nil, "the sensor stores no records")
        var asked = 0
        func known() -> UInt16? {
            asked += 1
            return 4
        }
        for _ in 0..<2 {
            plan.recordsBegin(after: known)
            let request = plan.recordRequest()
            #expect(request == [0x01, 0x03, 0x01, 0x05, 0x00])
        }
        #expect(asked == 1 && plan.newestRecord == 4)
        let isNew = plan.isNewRecord([0, 5, 0])
        let answer = plan.recordAnswer([6, 0, 1, 1])
        #expect(isNew && answer == .done && plan.newestRecord == 5)
    }

    // MARK: Upkeep

    @Test func `the end of a link ends the remedies for silence, and the sensor's removal does not`() {
        var upkeep = LinkUpkeep()
        upkeep.quiet.checkBegins()
        #expect(upkeep.isBusy)
        upkeep.sensorRemoved()
        #expect(!upkeep.quiet.isFine && upkeep.isBusy)
        upkeep.linkEnded()
        #expect(upkeep.quiet.isFine && !upkeep.isBusy)
    }

    @Test func `the end of a link leaves the quest to who knows the reason of the end`() {
        var upkeep = LinkUpkeep()
        let isBegun = upkeep.quest.begin(at: 0)
        upkeep.linkEnded()
        #expect(isBegun && upkeep.quest.isOpen)
    }

    @Test(arguments: [(1_000 as Int64, nil as Int64?), (801, nil), (800, 200), (0, 1_000)])
    func `a link is renewed after a silence of twice the limit, which is told`(since: Int64, lasted: Int64?) {
        var upkeep = LinkUpkeep()
        upkeep.quiet.checkBegins()
        upkeep.quiet.checked()
        let renewed = upkeep.takeRenewal(silentSince: since, limit: 100, at: 1_000)
        #expect(renewed == lasted && upkeep.quiet.isFine == (lasted != nil))
    }
}
