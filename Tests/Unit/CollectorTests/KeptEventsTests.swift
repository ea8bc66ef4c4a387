// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import Collector
@testable import GatewayBench

/// Kept events of sensors, without a disk.
struct KeptEventsTests {
    private static let day: Int64 = 86_400_000

    private static func events(_ count: Int, unix: Int64? = 1_000_000) -> SensorEvents {
        var events = SensorEvents()
        for number in 0..<count {
            events.record(
                SensorEvent(
                    .setUpFailed, uptimeMs: Int64(number), unixMs: unix.map { $0 + Int64(number) },
                    detail: "\(number)"))
        }
        return events
    }

    @Test func `the newest events come back, and those of an earlier start of the machine say so`() throws {
        let text = try #require(KeptEvents(Self.events(60), limit: 64, boot: "aa", offset: nil).text)
        let kept = try #require(KeptEvents(text))
        #expect(kept.former(in: "aa").map(\.detail) == (36..<60).map { "\($0)" })
        #expect(kept.former(in: "aa").allSatisfy { $0.earlierBoot == nil })
        #expect(kept.former(in: "bb").allSatisfy { $0.earlierBoot == true && $0.unixMs != nil })
        #expect(KeptEvents(SensorEvents(), limit: 64, boot: "aa", offset: nil).text == nil)
    }

    @Test func `events of an earlier start get no time of the present start`() throws {
        let undated = try #require(KeptEvents(Self.events(1, unix: nil), limit: 64, boot: "aa", offset: nil).text)
        var events = SensorEvents()
        events.resume(try #require(KeptEvents(undated)).former(in: "bb"))
        events.record(SensorEvent(.heard, uptimeMs: 7))
        let again = KeptEvents(events, limit: 64, boot: "bb", offset: 500)
        #expect(again.former(in: "bb").map(\.unixMs) == [nil, 507])
        #expect(again.former(in: "cc").map(\.earlierBoot) == [true, true])
    }

    @Test func `former events make room for those of this run, and are taken once`() {
        var events = SensorEvents()
        events.record(SensorEvent(.heard, uptimeMs: 1), limit: 8)
        events.resume((0..<20).map { SensorEvent(.setUpFailed, uptimeMs: 0, detail: "\($0)") }, limit: 8)
        #expect(events.former.map(\.detail) == (13..<20).map { "\($0)" })
        events.resume([SensorEvent(.paired, uptimeMs: 0)], limit: 8)
        #expect(events.former.count == 7 && events.last(.setUpFailed) == nil, "last() tells of this run")
        for number in 0..<20 { events.record(SensorEvent(.silent, uptimeMs: 9, detail: "\(number)"), limit: 8) }
        #expect(events.former.isEmpty && events.story.count == 8)
    }

    @Test func `a text of anybody else is no text`() {
        for text in [
            "", "{", "[]", #"{"boot":"aa"}"#, #"{"boot":1,"events":[]}"#, String(repeating: "x", count: 100_000),
        ] {
            #expect(KeptEvents(text) == nil)
        }
        // Times at the ends of their range are taken as they are.
        let extreme =
            #"{"boot":"aa","events":[{"kind":"heard","uptimeMs":-9223372036854775808,"count":9223372036854775807}]}"#
        var events = SensorEvents()
        events.resume(KeptEvents(extreme)?.former(in: "aa") ?? [])
        #expect(events.former.count == 1)
        #expect(KeptEvents(events, limit: 8, boot: "aa", offset: .max).text != nil)
    }

    @Test func `old texts are forgotten, and the oldest of too many`() throws {
        func text(_ unix: Int64?) throws -> String {
            try #require(KeptEvents(Self.events(1, unix: unix), limit: 8, boot: "aa", offset: nil).text)
        }
        let now = 100 * Self.day
        let some = [
            "new": try text(now), "old": try text(now - 31 * Self.day), "undated": try text(nil), "damaged": "x",
        ]
        #expect(KeptEvents.forgotten(some, at: now) == ["old"])
        #expect(KeptEvents.forgotten(some, at: nil).isEmpty)
        var many: [String: String] = [:]
        for number in 0..<(KeptEvents.sensors + 2) { many["\(number)"] = try text(now - Int64(number)) }
        #expect(Set(KeptEvents.forgotten(many, at: now)) == ["\(KeptEvents.sensors)", "\(KeptEvents.sensors + 1)"])
    }

    @Test func `a sensor that comes and goes all day costs a text in five minutes, and holds no other up`() {
        var keeping = EventKeeping()
        var texts: [String: Int] = [:]
        var now = MonotonicTime.zero
        // A round each 30 s, for a day.
        for round in 0..<2_880 {
            for number in 0..<20 { keeping.record("busy-\(number)") }
            if round % 100 == 0 { keeping.record("calm") }
            for device in keeping.due(at: now) { texts[device, default: 0] += 1 }
            now = now + .seconds(30)
        }
        let all = texts.values.reduce(0, +)
        #expect(all <= 64 + 2_880, "\(texts)")
        #expect(texts["busy-0"].map { $0 <= 289 } == true, "\(texts)")
        #expect(texts["calm"].map { $0 >= 25 } == true, "\(texts)")
    }

    @Test func `what waits at the end is written once more, within any budget`() {
        var keeping = EventKeeping()
        for _ in 0..<3 { keeping.record("fridge") }
        #expect(keeping.due(at: .zero) == ["fridge"] && !keeping.isWaiting)
        keeping.record("fridge")
        #expect(keeping.due(at: .zero).isEmpty && keeping.isWaiting)
        #expect(keeping.end(of: ["attic"]).isEmpty)
        #expect(keeping.end(of: ["fridge", "attic"]) == ["fridge"] && !keeping.isWaiting)
        for number in 0..<5_000 { keeping.record("\(number)") }
        #expect(keeping.end(of: (0..<5_000).map { "\($0)" }).count == EventKeeping.capacity)
    }
}
