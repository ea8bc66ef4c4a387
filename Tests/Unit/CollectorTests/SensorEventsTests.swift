// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Collector
@testable import GatewayBench

@Suite("Events of a sensor")
struct SensorEventsTests {
    private static func event(
        _ kind: SensorEvent.Kind, at uptime: Int64, _ detail: String? = nil, reason: LinkEndReason? = nil
    ) -> SensorEvent {
        var event = SensorEvent(kind, uptimeMs: uptime, unixMs: uptime + 1_000_000, detail: detail)
        (event.reason, event.endedBy) = (reason, reason?.party)
        return event
    }

    /// One link of `seconds`.
    private static func life(_ events: inout SensorEvents, at start: Int64, seconds: Int64 = 4) {
        events.record(event(.connecting, at: start, "reconnect"))
        events.record(event(.connected, at: start + 100))
        events.record(event(.collecting, at: start + 200))
        events.record(event(.linkEnded, at: start + seconds * 1_000, reason: .connectionTimeout))
    }

    @Test("a link that keeps ending is reported the first time, then once more, with a count and a start")
    func flapping() throws {
        var events = SensorEvents()
        events.record(Self.event(.heard, at: 1))
        for round in 0..<1_000 { Self.life(&events, at: Int64(round) * 5_000 + 10) }
        let life: [SensorEvent.Kind] = [.connecting, .connected, .collecting, .linkEnded]
        #expect(events.all.map(\.kind) == [.heard] + life + life)
        #expect(events.all.map(\.count) == [1, 1, 1, 1, 1, 999, 999, 999, 999])
        let last = try #require(events.all.last)
        #expect(last.uptimeMs == 999 * 5_000 + 4_010)
        #expect(last.firstUptimeMs == 9_010 && last.firstUnixMs == 1_009_010)
        #expect(events.all[4].firstUptimeMs == nil)
    }

    @Test("an event reported late stands at the time of its occurrence")
    func late() {
        var events = SensorEvents()
        for (kind, time) in [(.heard, 1), (.collecting, 90), (.radioStep, 50), (.radioBack, 90)]
            as [(SensorEvent.Kind, Int64)]
        { events.record(Self.event(kind, at: time)) }
        #expect(events.all.map(\.kind) == [.heard, .radioStep, .collecting, .radioBack])
    }

    @Test("an event that repeats after a long time is an event of its own, as long as there is room")
    func rare() {
        var events = SensorEvents()
        let hour: Int64 = 3_600_000
        for round in 0..<3 { Self.life(&events, at: Int64(round) * hour) }
        #expect(events.all.count == 12 && events.all.allSatisfy { $0.count == 1 })
    }

    @Test("repetitions make room before anything else goes: a week of lost links does not hide why pairing failed")
    func room() {
        var events = SensorEvents()
        events.record(Self.event(.pairingFailed, at: 1, "the keys did not agree"))
        for round in 0..<500 { Self.life(&events, at: Int64(round) * 1_200_000 + 10) }
        #expect(events.all.count == SensorEvents.capacity)
        #expect(events.all.first?.kind == .pairingFailed)
        let ends = events.all.filter { $0.kind == .linkEnded }
        #expect(ends.reduce(0) { $0 + $1.count } == 500, "none is lost, some are counted together")
        #expect(events.all.map(\.uptimeMs) == events.all.map(\.uptimeMs).sorted(), "oldest first")
    }

    @Test("among different events, the oldest goes")
    func oldest() {
        var events = SensorEvents()
        for number in 0..<100 { events.record(Self.event(.setUpFailed, at: Int64(number), "\(number)"), limit: 10) }
        #expect(events.all.map(\.detail) == (90..<100).map { "\($0)" })
    }

    @Test("another reason, another party, another procedure and another detail are no repetition")
    func different() {
        var events = SensorEvents()
        for _ in 0..<3 {
            for reason: LinkEndReason in [.connectionTimeout, .remoteUserTerminated] {
                events.record(Self.event(.linkEnded, at: 1, reason: reason))
            }
        }
        #expect(events.all.map(\.count) == [1, 1, 2, 2])
        events.record(Self.event(.linkEnded, at: 1, "by hand", reason: .connectionTimeout))
        #expect(events.all.count == 5)
        var other = Self.event(.linkEnded, at: 1, reason: .connectionTimeout)
        other.during = "the discovery of services"
        events.record(other)
        #expect(events.all.count == 6)
    }

    @Test("a flood of events caused by sensors stays within bounds, for one sensor and for all")
    func flood() {
        var generator = SeededGenerator(seed: 7)
        var (total, longest, reasons) = (0, 0, 0)
        let sensors = Collector.maximumSensors + 64
        let limit = SensorEvents.limit(sensors: sensors)
        #expect(limit == 8 && SensorEvents.limit(sensors: 1) == 64 && SensorEvents.limit(sensors: 0) == 64)
        for _ in 0..<sensors {
            var events = SensorEvents()
            for moment in 0..<100 {
                let kind = SensorEvent.Kind.allCases.randomElement(using: &generator) ?? .heard
                let detail = String(repeating: "\u{1F4A5}", count: Int.random(in: 0...2_000, using: &generator))
                let reason = LinkEndReason(rawValue: UInt8.random(in: 0...255, using: &generator))
                events.record(Self.event(kind, at: Int64(moment) * 60_000, detail, reason: reason), limit: limit)
            }
            longest = max(longest, events.all.compactMap { $0.detail?.unicodeScalars.count }.max() ?? 0)
            reasons = max(reasons, events.ends.entries(at: 100 * 60_000).count)
            total += events.all.count
        }
        #expect(longest == SensorEvents.detailLength)
        // 100 minutes are in two hours.
        #expect(reasons <= LinkEndTally.maximumReasons * 2 + 1)
        #expect(total == sensors * 8)
    }

    @Test("times at the ends of their range are taken as they are")
    func extremes() {
        var events = SensorEvents()
        for time in [Int64.max, .min, 0, .max, .min] {
            events.record(Self.event(.linkEnded, at: time == .max ? time - 1_000_000 : time, reason: .micFailure))
        }
        var first = events.all[0]
        first.unixMs = nil
        first.date(with: .min)
        #expect(first.unixMs == .min)
    }

    @Test("an event from before the clock was right gets a time of day later")
    func dates() {
        var event = SensorEvent(.heard, uptimeMs: 500)
        var repeated = SensorEvent(.heard, uptimeMs: 900)
        repeated.absorb(event)
        event.date(with: 1_000)
        repeated.date(with: 1_000)
        #expect(event.unixMs == 1_500)
        #expect(repeated.unixMs == 1_900 && repeated.firstUnixMs == 1_500)
        var known = Self.event(.heard, at: 5)
        known.date(with: 7)
        #expect(known.unixMs == 1_000_005, "what was known stays")
    }

    @Test("ends are counted by reason for 24 hours; reasons beyond a number are counted together")
    func tally() {
        var tally = LinkEndTally()
        let hour: Int64 = 3_600_000
        tally.count(.connectionTimeout, at: 0)
        for moment in 1...3 { tally.count(.connectionTimeout, at: Int64(moment) * hour) }
        tally.count(.remoteUserTerminated, at: 3 * hour)
        #expect(tally.entries(at: 3 * hour).map(\.count) == [4, 1])
        #expect(tally.entries(at: 24 * hour).map(\.count) == [3, 1], "the first hour is over")
        #expect(tally.entries(at: 100 * hour).isEmpty)
        for code in UInt8.min...UInt8.max { tally.count(LinkEndReason(rawValue: code), at: 50 * hour) }
        let entries = tally.entries(at: 50 * hour)
        #expect(entries.count == LinkEndTally.maximumReasons + 1)
        #expect(entries.first == .init(reason: nil, count: 256 - LinkEndTally.maximumReasons))
    }
}
