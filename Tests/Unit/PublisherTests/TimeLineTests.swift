// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Platform
@testable import Publisher
@testable import Readings

@Suite("Times of readings")
struct TimeLineTests {
    private func timeLine(publishUnsynced: Bool = false, _ boots: [JournalBoot]) -> TimeLine {
        var line = TimeLine(current: "bbbb", publishUnsynced: publishUnsynced)
        line.replaceBoots(boots)
        return line
    }

    private func row(boot: Int64, up: Int64, unix: Int64? = nil) -> JournalRow {
        JournalRow(
            n: 1, device: 1, characteristic: 1, source: .notify, rssi: nil, boot: boot, uptimeMilliseconds: up,
            unixMilliseconds: unix, quality: unix == nil ? .unsynced : .holdover, value: [])
    }

    /// The time line of a boot with the offset 1,000,000 since uptime 10,000, now at uptime 60,000.
    private func learned(_ boots: [JournalBoot], offset: Int64 = 1_000_000, now: Int64 = 60_000) -> TimeLine {
        var line = timeLine(boots)
        let stamp = TimeStamp(
            boot: "bbbb", uptimeMilliseconds: now, unixMilliseconds: now + offset, quality: .synced)
        let isNew = line.learn(stamp, ClockAnchor(offset: offset, uptime: 10_000))
        #expect(isNew)
        return line
    }

    @Test("a time known at reception is kept")
    func known() {
        let line = timeLine([JournalBoot(id: 1, name: "bbbb", offset: 7)])
        #expect(
            line.time(of: row(boot: 1, up: 5, unix: 99)) == ReadingTime(unixMilliseconds: 99, quality: .holdover))
    }

    @Test("a reading of a boot with a wrong clock is held, or goes without a time by configuration")
    func held() {
        let boots = [JournalBoot(id: 1, name: "bbbb", offset: nil)]
        #expect(timeLine(boots).time(of: row(boot: 1, up: 5)) == nil)
        #expect(timeLine(publishUnsynced: true, boots).time(of: row(boot: 1, up: 5)) == .unknown)
    }

    @Test("a reading from before the clock was right gets an estimate from the boot's own clock")
    func estimated() {
        let line = timeLine([JournalBoot(id: 1, name: "bbbb", offset: 1_700_000_000_000)])
        #expect(
            line.time(of: row(boot: 1, up: 5))
                == ReadingTime(unixMilliseconds: 1_700_000_000_005, quality: .estimated))
    }

    @Test("a reading of an earlier boot without a time goes without one, once the clock is right")
    func earlierBoot() {
        let old = JournalBoot(id: 1, name: "aaaa", offset: nil)
        var line = timeLine([old, JournalBoot(id: 2, name: "bbbb", offset: nil)])
        #expect(line.time(of: row(boot: 1, up: 5)) == nil)
        line = learned([old, JournalBoot(id: 2, name: "bbbb", offset: nil)])
        #expect(line.time(of: row(boot: 1, up: 5)) == .unknown)
        #expect(line.time(of: row(boot: 2, up: 5)) == ReadingTime(unixMilliseconds: 1_000_005, quality: .estimated))
        let later = timeLine([old, JournalBoot(id: 2, name: "cccc", offset: 1)])
        #expect(later.time(of: row(boot: 1, up: 5)) == .unknown)
    }

    @Test("a held reading never stands before a reading that could go")
    func noBlocking() {
        // A row with a time after a held row would itself release the held row, whatever is known of the three boots.
        for offsets in [[nil, nil, nil], [1, nil, nil], [nil, 1, nil], [nil, nil, 1], [1, nil, 1]] as [[Int64?]] {
            let boots = zip(["zzzz", "aaaa", "bbbb"], offsets).enumerated().map { index, boot in
                JournalBoot(id: Int64(index + 1), name: boot.0, offset: boot.1)
            }
            let line = timeLine(boots)
            for held in boots where line.time(of: row(boot: held.id, up: 1)) == nil {
                #expect(boots.allSatisfy { $0.id < held.id || $0.offset == nil })
            }
        }
    }

    @Test(
        "a time that a step has shown to be wrong is replaced, and a time within a clock's drift is kept",
        arguments: [
            // Held over for 50 s: 2 s and 5 ms are explained.
            (60_000, 1_060_000, nil), (60_000, 1_058_000, nil), (60_000, 1_057_995, nil),
            (60_000, 1_057_994, 1_060_000),
            (10_000, 1_012_000, nil), (10_000, 1_012_001, 1_010_000), (10_000, 1_008_000, nil),
            (10_000, 1_007_999, 1_010_000),
            // 1970, and an hour ahead.
            (50_000, 50_000, 1_050_000), (50_000, 4_650_000, 1_050_000),
        ] as [(Int64, Int64, Int64?)])
    func corrected(up: Int64, unix: Int64, estimate: Int64?) {
        let expected =
            estimate.map { ReadingTime(unixMilliseconds: $0, quality: .estimated) }
            ?? ReadingTime(unixMilliseconds: unix, quality: .holdover)
        #expect(
            learned([JournalBoot(id: 1, name: "bbbb", offset: 5)]).time(of: row(boot: 1, up: up, unix: unix))
                == expected)
    }

    @Test("a time ahead by a clock's possible drift is replaced while it lies in the future")
    func ahead() {
        // Ten days after the anchor was set the clock is found to be 60 s fast.
        var line = timeLine([JournalBoot(id: 1, name: "bbbb", offset: nil)])
        let now: Int64 = 864_000_000
        let stamp = TimeStamp(
            boot: "bbbb", uptimeMilliseconds: now, unixMilliseconds: now + 1_000_000, quality: .synced)
        _ = line.learn(stamp, ClockAnchor(offset: 1_060_000, uptime: 10_000))
        let young = row(boot: 1, up: now - 59_000, unix: now - 59_000 + 1_060_000)
        #expect(
            line.time(of: young) == ReadingTime(unixMilliseconds: now - 59_000 + 1_000_000, quality: .estimated))
        let old = row(boot: 1, up: now - 61_000, unix: now - 61_000 + 1_060_000)
        #expect(line.time(of: old)?.quality == .holdover)
        // Without a time, and taken just now: not later than now.
        let untimed = line.time(of: row(boot: 1, up: now - 1_000))
        #expect(untimed == ReadingTime(unixMilliseconds: now + 1_000_000, quality: .estimated))
    }

    @Test("a reading of an earlier boot never lies in the future: its boot's offset corrects it, or it has no time")
    func earlierFuture() {
        let line = learned([
            JournalBoot(id: 1, name: "zzzz", offset: 900_000), JournalBoot(id: 2, name: "aaaa", offset: nil),
            JournalBoot(id: 3, name: "yyyy", offset: 5_000_000), JournalBoot(id: 4, name: "bbbb", offset: nil),
        ])
        #expect(line.time(of: row(boot: 1, up: 5, unix: 1_059_999))?.unixMilliseconds == 1_059_999)
        #expect(
            line.time(of: row(boot: 1, up: 5, unix: 1_070_000))
                == ReadingTime(unixMilliseconds: 900_005, quality: .estimated))
        #expect(line.time(of: row(boot: 2, up: 5, unix: 1_070_000)) == .unknown)
        #expect(line.time(of: row(boot: 3, up: 5, unix: 5_000_005)) == .unknown)
        #expect(line.time(of: row(boot: 3, up: 5)) == .unknown)
    }

    @Test("the journal hears of an anchor once, and of each later anchor")
    func telling() {
        var line = timeLine([])
        let unsynced = TimeStamp(boot: "bbbb", uptimeMilliseconds: 5, unixMilliseconds: nil, quality: .unsynced)
        let isNews = [
            nil, ClockAnchor(offset: 1, uptime: 1), ClockAnchor(offset: 1, uptime: 1),
            ClockAnchor(offset: 9, uptime: 2), nil,
        ].map { line.learn(unsynced, $0) }
        #expect(isNews == [false, true, false, true, false])
    }

    @Test("only young readings of this boot are the present")
    func live() {
        let line = timeLine([JournalBoot(id: 1, name: "aaaa", offset: 1), JournalBoot(id: 2, name: "bbbb", offset: 1)])
        #expect(line.isLive(row(boot: 2, up: 1_000), at: 11_000, window: 10_000))
        #expect(!line.isLive(row(boot: 2, up: 999), at: 11_000, window: 10_000))
        #expect(!line.isLive(row(boot: 1, up: 11_000), at: 11_000, window: 10_000))
    }
}
