// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway

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

    @Test("a time that was known at reception is kept")
    func known() {
        let line = timeLine([JournalBoot(id: 1, name: "bbbb", offset: 7)])
        #expect(
            line.time(of: row(boot: 1, up: 5, unix: 99)) == ReadingTime(unixMilliseconds: 99, quality: .holdover))
    }

    @Test("a reading of a boot whose clock is not right yet is held, or goes without a time when that is wanted")
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

    @Test("a reading of an earlier boot that never got a time goes without one, once the clock is right")
    func earlierBoot() {
        let old = JournalBoot(id: 1, name: "aaaa", offset: nil)
        var line = timeLine([old, JournalBoot(id: 2, name: "bbbb", offset: nil)])
        #expect(line.time(of: row(boot: 1, up: 5)) == nil)
        line.currentOffset = 1_000
        #expect(line.time(of: row(boot: 1, up: 5)) == .unknown)
        #expect(line.time(of: row(boot: 2, up: 5)) == ReadingTime(unixMilliseconds: 1_005, quality: .estimated))
        let later = timeLine([old, JournalBoot(id: 2, name: "cccc", offset: 1)])
        #expect(later.time(of: row(boot: 1, up: 5)) == .unknown)
    }

    @Test("a held reading never stands before one that could go")
    func noBlocking() {
        // Whatever is known of three boots, a row with a time after a held one would itself release the held one.
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

    @Test("only young readings of this boot are the present")
    func live() {
        let line = timeLine([JournalBoot(id: 1, name: "aaaa", offset: 1), JournalBoot(id: 2, name: "bbbb", offset: 1)])
        #expect(line.isLive(row(boot: 2, up: 1_000), at: 11_000, window: 10_000))
        #expect(!line.isLive(row(boot: 2, up: 999), at: 11_000, window: 10_000))
        #expect(!line.isLive(row(boot: 1, up: 11_000), at: 11_000, window: 10_000))
    }
}
