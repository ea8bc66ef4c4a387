// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Readings
import Testing

@testable import Collector

/// The parts that every sensor has.
@Suite struct SensorPartsTests {
    // MARK: Life

    @Test(
        arguments: [
            // Proven, removed, its events of 64 and of 10, whether it counts as a candidate.
            (false, false, 16, 10, true), (true, false, 64, 10, false), (false, true, 16, 10, false),
            (true, true, 64, 10, false),
        ])
    func `a candidate has fewer events than a sensor that works, and a removed one is no candidate`(
        isProven: Bool, isRemoved: Bool, many: Int, few: Int, isCandidate: Bool
    ) {
        var life = SensorLife(isProven: isProven, order: 3, began: 5)
        if isRemoved { life.remove() }
        #expect(life.eventLimit(64) == many && life.eventLimit(10) == few)
        #expect(life.isCandidate == isCandidate && life.isRemoved == isRemoved)
        #expect(life.order == 3 && life.began == 5)
    }

    @Test func `a sensor is proven once, and again after a doubt`() {
        var life = SensorLife()
        let proofs = [life.prove(), life.prove()]
        life.doubt()
        #expect(proofs == [true, false] && !life.isProven)
        let again = life.prove()
        #expect(again && life.isProven)
    }

    @Test func `the broker is told of a change only`() {
        var life = SensorLife()
        let told = [false, true, true, false, false, true].map { life.announce($0) }
        #expect(told == [false, true, false, true, false, true] && life.isAnnounced)
    }

    // MARK: Trouble

    @Test func `a trouble and a failure are news once, until they are over`() {
        var trouble = SensorTrouble()
        let news = ["a", "a", "b", "a"].map { trouble.record($0) }
        #expect(news == [true, false, true, true])
        let failures = ["x", "x", "y"].map { trouble.failed($0) }
        #expect(failures == [true, false, true])
        trouble.settle()
        #expect(trouble.text == nil && trouble.failure == "y")
        trouble.record("a")
        trouble.succeeded()
        let isNews = trouble.failed("y")
        #expect(isNews && trouble.text == "a")
    }

    @Test(arguments: [(true, nil), (false, "pair it")])
    func `a set-up ends the failure, and the trouble only if no value is missing`(isComplete: Bool, text: String?) {
        var trouble = SensorTrouble()
        trouble.record("pair it")
        trouble.failed("the link was lost")
        trouble.setUpSucceeded(isComplete: isComplete)
        #expect(trouble.text == text && trouble.failure == nil)
    }

    // MARK: Signal

    private static func time(_ milliseconds: UInt64) -> DispatchTime {
        DispatchTime(uptimeNanoseconds: milliseconds * 1_000_000)
    }

    /// Rows: the last sighting, the last sign of any kind, now, whether the sensor was quiet, whether it was asked for the
    /// last sign.
    static let quietRows: [(Int64?, Int64?, Int64, Bool, Bool)] = [
        (nil, nil, 1_000, true, true),
        (0, nil, 599_999, false, false),
        (0, 0, 600_000, true, true),
        (0, 1, 600_000, false, true),
        (nil, 500, 600_499, false, true),
        (nil, 500, 600_500, true, true),
    ]

    @Test(arguments: quietRows)
    func `a sensor is quiet after ten minutes without a sign, and a late sighting answers alone`(
        heard: Int64?, sign: Int64?, now: Int64, isQuiet: Bool, isAsked: Bool
    ) {
        var signal = SensorSignal()
        if let heard { signal.sighted(-50, at: heard, Self.time(0)) }
        var wasAsked = false
        let found = signal.isQuiet(at: now) {
            wasAsked = true
            return sign
        }
        #expect(found == isQuiet && wasAsked == isAsked)
    }

    @Test(arguments: [(-40, Int8(-40)), (127, -60), (-200, -128), (126, 126)])
    func `a sighting without a measured strength leaves the last strength`(strength: Int, rssi: Int8) {
        var signal = SensorSignal()
        #expect(signal.age(at: Self.time(9)) == nil)
        signal.sighted(-60, at: 10, Self.time(1_000))
        signal.sighted(strength, at: 20, Self.time(2_000))
        #expect(signal.rssi == rssi && signal.heardAt == 20)
        #expect(signal.age(at: Self.time(2_007)) == 7 && signal.age(at: Self.time(1_999)) == 0)
    }

    @Test func `other gateways are told of the signal every five seconds at most`() {
        var signal = SensorSignal()
        #expect(signal.isReportDue(at: Self.time(0)))
        signal.report(at: Self.time(1_000))
        #expect(!signal.isReportDue(at: Self.time(5_999)) && signal.isReportDue(at: Self.time(6_000)))
    }

    // MARK: Readings

    @Test func `readings are counted by source, and the usual interval is learned from those since the link began`() {
        var readings = SensorReadings()
        for source in [Reading.Source.read, .notify, .notify] { readings.count(source) }
        #expect(readings.total == 3 && readings.named == ["read": 1, "notify": 2])
        let early = readings.look(at: 9_000, lastValue: 9_000, limits: SilenceLimits())
        #expect(early == nil && readings.usualMs == nil, "no link")
        readings.begin(at: 10_000)
        for _ in 0..<4 { readings.count(.indicate) }
        let usual = readings.look(at: 18_000, lastValue: 18_000, limits: SilenceLimits())
        #expect(usual == nil && readings.usualMs == 2_000)
        let silent = readings.look(at: 78_001, lastValue: 18_000, limits: SilenceLimits())
        #expect(silent == .silent(forMs: 60_001) && readings.silentSince == 18_000)
        readings.count(.indicate)
        let speaking = readings.look(at: 80_000, lastValue: 79_000, limits: SilenceLimits())
        #expect(speaking == .speaking(afterMs: 61_000) && readings.silentSince == nil)
        readings.linkEnded()
        let ended = readings.look(at: 900_000, lastValue: 79_000, limits: SilenceLimits())
        #expect(ended == nil && readings.usualMs == 2_000, "the interval outlives the link")
        readings.begin(at: 900_000)
        let again = readings.look(at: 1_000_000, lastValue: 900_000, limits: SilenceLimits())
        #expect(again == .silent(forMs: 100_000) && readings.silentSince == 900_000)
        readings.linkEnded()
        #expect(readings.silentSince == nil, "the silence does not")
    }

    // MARK: The entry

    private static func reading(_ value: [UInt8], at uptime: Int64 = 1) -> Reading {
        Reading(
            device: "any", characteristic: "2a6e", source: .notify, value: value, rssi: nil,
            stamp: TimeStamp(boot: "b", uptimeMilliseconds: uptime, unixMilliseconds: nil, quality: .unsynced))
    }

    @Test func `a sensor has no entry before it has a value, and its values move with its id`() {
        let table = SensorTable()
        var entry = EntryHold("old", in: table)
        #expect(entry.values.isEmpty && entry.newestAt == nil && table["old"] == nil)
        entry.rename(to: "older")
        #expect(table["older"] == nil, "nothing to move")
        entry.record(Self.reading([1, 2], at: 7))
        entry.rename(to: "older")
        #expect(entry.values.count == 1 && entry.newestAt == 7, "the same id")
        entry.rename(to: "new")
        #expect(entry.device == "new" && table["new"]?.values.map(\.reading.value) == [[1, 2]])
        #expect(table["older"]?.values.isEmpty == true)
    }

    @Test func `a characteristic that is collected no more has no value, and a sensor that is none has no values`() {
        let table = SensorTable()
        var entry = EntryHold("a", in: table)
        entry.record(Self.reading([1]))
        entry.keep(["2a6e"])
        #expect(entry.values.count == 1)
        entry.keep(["2a19"])
        #expect(entry.values.isEmpty)
        entry.record(Self.reading([2]))
        entry.forget()
        #expect(entry.values.isEmpty && table["a"]?.values.isEmpty == true)
        entry.record(Self.reading([3]))
        #expect(table["a"]?.values.count == 1, "the device speaks again")
    }

    @Test func `an entry that a sensor holds stays when the table has no room`() {
        let table = SensorTable()
        var entry = EntryHold("held", in: table)
        entry.hold()
        for number in 0..<3_000 { _ = table.entry(of: "other \(number)") }
        #expect(table["held"] != nil)
    }
}
