// SPDX-License-Identifier: Apache-2.0

import Readings
import Testing

@testable import Collector

/// The operator's word about a new count ends the former life of the counter.
struct CounterWordTests {
    private static func judge(_ replay: inout ReplayGuard, _ value: UInt32, life: UInt32) -> ReplayGuard.Verdict {
        replay.judge(PacketNumber(value, bits: 32), PacketTag(life << 24 | value + 1), at: 1)
    }

    /// The gateway has heard packets of the new count before the word, or hears them after it.
    @Test(arguments: [true, false])
    func `recordings of the life before are far ahead of the new count`(_ isHeardBefore: Bool) {
        var replay = ReplayGuard()
        for value in 9_000..<9_100 as Range<UInt32> { _ = Self.judge(&replay, value, life: 1) }
        if isHeardBefore {
            let refused = Self.judge(&replay, 200, life: 2)
            #expect(refused == .played)
        }
        replay.settle(at: 1)
        let first = Self.judge(&replay, isHeardBefore ? 201 : 200, life: 2)
        #expect(first == .new && replay.life.count == 2 && replay.life.top == 9_099)
        for value in [1_226, 5_000, 9_000, 9_099] as [UInt32] {
            let verdict = Self.judge(&replay, value, life: 1)
            #expect(verdict == .played, "\(value)")
        }
        let next = Self.judge(&replay, 202, life: 2)
        #expect(next == .new)
    }

    @Test func `a word about a count that goes on ahead begins no life`() {
        var replay = ReplayGuard()
        _ = Self.judge(&replay, 100, life: 1)
        replay.settle(at: 1)
        let ahead = Self.judge(&replay, 101, life: 1)
        #expect(ahead == .new && replay.life.count == 1 && replay.life.top == nil)
    }
}
