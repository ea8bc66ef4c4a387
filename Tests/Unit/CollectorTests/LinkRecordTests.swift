// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Collector

/// The parts of a sensor with links.
@Suite struct LinkRecordTests {
    @Test func `a link begins without the past, and ends with nothing left of it`() {
        var record = LinkRecord()
        record.measured(-40)
        #expect(record.rssi == nil && !record.exists, "a strength without a link is late")
        record.willEnd(because: "before")
        record.began(7, at: 100)
        #expect(record.exists && record.number == 7 && record.since == 100 && record.endCause == nil)
        record.measured(-50)
        record.willEnd(because: "enough")
        #expect(record.rssi == -50 && record.endCause == "enough")
        record.ended()
        #expect(!record.exists && record.number == nil && record.rssi == nil && record.endCause == nil)
    }

    @Test func `each drop counts one reconnection, and a link that was closed on purpose counts none`() {
        var record = LinkRecord()
        record.dropped("0x08")
        record.countReconnect()
        record.countReconnect()
        record.dropped("0x13")
        record.dropped("0x08")
        record.countReconnect()
        #expect(record.drops == 3 && record.lastDrop == "0x08" && record.reconnects == ["0x08": 2])
    }

    @Test func `a peer invents no more than sixteen reasons`() {
        var record = LinkRecord()
        for number in 0..<40 {
            record.dropped("reason \(number)")
            record.countReconnect()
        }
        #expect(record.reconnects.count == 17 && record.reconnects["other"] == 24)
    }

    @Test(arguments: [(false, false, false), (true, false, true), (true, true, false), (false, true, false)])
    func `mute is who had a link and said nothing`(wasSetUp: Bool, hasAnswered: Bool, isMute: Bool) {
        var record = LinkRecord()
        if wasSetUp { record.setUpBegan() }
        if hasAnswered { record.answered() }
        #expect(record.isMute == isMute && record.wasSetUp == wasSetUp && record.hasAnswered == hasAnswered)
    }

    @Test func `pauses grow with links that brought nothing, and one value takes them back`() {
        var use = LinkUse()
        let gone = LinkEndReason(rawValue: 0x13)
        let pauses = [false, false, false, true, false].map { hasBrought in
            use.ended(gone, hasBrought: hasBrought, from: 0, to: 1_000)
        }
        #expect(pauses == [.seconds(2), .seconds(4), .seconds(8), .zero, .seconds(2)])
    }

    /// Rows: when the link began, the newest value, the pause before the next link.
    @Test(arguments: [
        (nil as Int64?, nil as Int64?, Duration.zero), (100, nil, .seconds(2)), (100, 99, .seconds(2)),
        (100, 100, .zero), (100, 101, .zero),
    ])
    func `a link is worth its own values, and what never was a link has no pause`(
        began: Int64?, lastValue: Int64?, pause: Duration
    ) {
        var record = LinkRecord()
        if let began { record.began(1, at: began) }
        let found = record.judge(LinkEndReason(rawValue: 0x13), lastValue: lastValue, at: 1_000)
        #expect(found == pause)
    }

    /// Rows: the connection interval, the age of the link, whether a slower link may be asked for.
    @Test(arguments: [(30, 10_000 as Int64, true), (59, 10_000, true), (60, 10_000, false), (30, 9_999, false)])
    func `a link is made slower once, after the sensor had time to ask for its own pace`(
        interval: Int, age: Int64, mayBeSlower: Bool
    ) {
        var record = LinkRecord()
        #expect(!record.mayBeSlower(than: .milliseconds(interval), at: age), "there is no link")
        record.began(1, at: 5_000)
        #expect(record.mayBeSlower(than: .milliseconds(interval), at: 5_000 + age) == mayBeSlower)
        record.madeSlower(at: 5_000 + age)
        #expect(!record.mayBeSlower(than: .milliseconds(interval), at: 5_000 + age))
    }

    @Test func `after two slower links that ended soon, links stay as they are`() {
        var record = LinkRecord()
        for number in 0..<2 {
            record.began(1, at: 0)
            #expect(record.mayBeSlower(than: .milliseconds(30), at: 10_000), "link \(number)")
            record.madeSlower(at: 10_000)
            _ = record.judge(LinkEndReason(rawValue: 0x08), lastValue: nil, at: 20_000)
            record.ended()
        }
        record.began(1, at: 0)
        #expect(!record.mayBeSlower(than: .milliseconds(30), at: 10_000))
    }

    @Test func `the cost of links is told to a tenth of a second a day, and without a link it does not run on`() {
        var record = LinkRecord()
        record.runs(every: .milliseconds(40), at: 30_000)
        #expect(record.radioSecondsDay(readings: 9, at: 60_000) == nil)
        record.began(1, at: 1_000)
        record.runs(every: .milliseconds(43), at: 31_000)
        // 30,000 ms are 697.67 events of half a millisecond, of which a day has 1,004.65 s.
        #expect(record.radioSecondsDay(readings: 0, at: 31_000) == 1_004.7)
    }

    @Test func `peculiarities are news when they change`() {
        var record = LinkRecord()
        let news = [[], ["a"], ["a"], ["a", "b"], []].map { record.recordPeculiarities($0) }
        #expect(news == [false, true, false, true, true] && record.peculiarities.isEmpty)
    }

    @Test
    func
        `a quiet link is made anew after twice the limit, once an hour, and only when its subscriptions were looked at`()
    {
        var quiet = QuietLink()
        func renews(_ lasted: Int64, at now: Int64) -> Bool {
            quiet.takeRenewal(silentFor: lasted, limit: 100, at: now)
        }
        #expect(!renews(1_000, at: 0))
        quiet.checkBegins()
        #expect(quiet.isChecking && !renews(1_000, at: 0))
        quiet.checked()
        #expect(!renews(199, at: 0) && renews(200, at: 0) && quiet.isFine)
        quiet.checked()
        #expect(!renews(1_000, at: 3_599_999) && renews(1_000, at: 3_600_000))
        quiet.checked()
        let isRenewed = quiet.takeRenewal(silentFor: .max, limit: .max, at: .max)
        #expect(!isRenewed, "no limit is twice as long")
    }
}
