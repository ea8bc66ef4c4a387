// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Collector

@Suite("The cost of links, and the time of the next link")
struct ReconnectionRuleTests {
    @Test(
        "each reason has its own pauses: after a useful link, after the first useless link, and at most",
        arguments: [
            (0x08, 0, 1, 60), (0x13, 0, 2, 300), (0x14, 10, 30, 600), (0x15, 0, 1, 60), (0x22, 2, 5, 300),
            (0x3D, 10, 30, 3_600), (0x05, 1, 30, 3_600), (0x06, 1, 30, 3_600), (0x3E, 1, 1, 60), (0x3B, 0, 1, 60),
        ])
    func pauses(reason: UInt8, first: Int, step: Int, longest: Int) {
        let rule = ReconnectionRule.of(LinkEndReason(rawValue: reason))
        #expect(rule.pause(fruitless: 0) == .seconds(first))
        #expect(rule.pause(fruitless: 1) == max(.seconds(first), .seconds(step)))
        #expect(rule.pause(fruitless: 2) == max(.seconds(first), .seconds(step * 2)))
        #expect(rule.pause(fruitless: 1_000) == .seconds(longest))
    }

    @Test func `a link is made slower by what is wanted of it`() throws {
        #expect(LinkPace.parameters(interval: 1_999) == nil)
        let slow = try #require(LinkPace.parameters(interval: 2_000))
        let slowest = try #require(LinkPace.parameters(interval: 10_000))
        #expect(slow != slowest)
        var pace = LinkPace()
        pace.ended(byUs: false, at: 5)
        pace.changed(at: 1_000)
        pace.ended(byUs: true, at: 2_000)
        #expect(pace.failures == 0 && pace.isOpen)
        pace.changed(at: 1_000)
        pace.ended(byUs: false, at: 62_000)
        #expect(pace.failures == 0, "long after it was changed")
        pace.changed(at: 1_000)
        pace.ended(byUs: false, at: 31_000)
        #expect(pace.failures == 1)
    }

    @Test func `a day of a link is what its events cost`() throws {
        var time = RadioTime()
        #expect(time.secondsPerDay(readings: 0, at: 100_000) == nil)
        // 40 ms: 25 events a second of half a millisecond each.
        time.runs(every: .milliseconds(40), from: 1_000, to: 31_000)
        time.runs(every: .milliseconds(40), from: 1_000, to: 61_000)
        let fast = try #require(time.secondsPerDay(readings: 0, at: 61_000))
        #expect(abs(fast - 1_080) < 1, "\(fast)")
        // From then on the rate is ten times lower; the next hour still counts by the former rate.
        time.runs(every: .milliseconds(400), from: 1_000, to: 61_000)
        time.ended(from: 1_000, to: 121_000)
        let both = try #require(time.secondsPerDay(readings: 0, at: 121_000))
        #expect(abs(both - (1_080 + 108) / 2) < 1, "\(both)")
        // Without a link the sensor costs nothing.
        let half = try #require(time.secondsPerDay(readings: 0, at: 241_000))
        #expect(abs(half - both / 2) < 1)
        #expect(try #require(time.secondsPerDay(readings: 1_000, at: 241_000)) > half + 100)
    }
}
