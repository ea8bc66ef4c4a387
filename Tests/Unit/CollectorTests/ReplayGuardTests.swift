// SPDX-License-Identifier: Apache-2.0

import Readings
import Testing

@testable import Collector

/// An attacker's chances with recorded packets, by kind of counter.
struct ReplayGuardTests {
    /// A sensor's packet; its tag depends on the battery's life.
    private struct Packet {
        var counter: PacketNumber
        var tag: PacketTag
    }

    private static func packet(_ value: UInt32, bits: Int = 32, life: UInt32 = 1) -> Packet {
        var mixed = (value &+ 1) &* 2_654_435_761 ^ life &* 40_503 &* 65_599
        mixed ^= mixed >> 15
        return Packet(
            counter: PacketNumber(bits >= 32 ? value : value & (1 << UInt32(bits) - 1), bits: bits),
            tag: PacketTag(mixed))
    }

    /// A function, because the macro takes no mutating call.
    private func judge(
        _ verdict: ReplayGuard.Verdict, is wanted: ReplayGuard.Verdict,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(verdict == wanted, sourceLocation: sourceLocation)
    }

    /// The guard of the next process, from the stored state.
    private static func restarted(_ replay: ReplayGuard, mark: String = "1") -> ReplayGuard {
        var new = ReplayGuard()
        guard let counter = replay.counterText(mark: mark) else { return new }
        new.resume(counter: counter, tags: replay.tagText(mark: mark), mark: mark)
        return new
    }

    // MARK: Long counters

    @Test func `an older counter is refused, a newer one is new, and the newest one is the same packet`() {
        var replay = ReplayGuard()
        judge(replay.judge(PacketNumber(100, bits: 32), PacketTag(1), at: 0), is: .new)
        judge(replay.judge(PacketNumber(99, bits: 32), PacketTag(2), at: 1), is: .played)
        judge(replay.judge(PacketNumber(100, bits: 32), PacketTag(1), at: 2), is: .current)
        judge(replay.judge(PacketNumber(101, bits: 32), PacketTag(3), at: 3), is: .new)
        judge(replay.judge(PacketNumber(100, bits: 32), PacketTag(1), at: 4), is: .played)
        #expect(replay.last == 101)
    }

    @Test(arguments: [24, 32], [false, true])
    func `of ten thousand recorded packets of a battery's life none is new, however long it is tried`(
        _ bits: Int, _ isRestarted: Bool
    ) {
        var replay = ReplayGuard()
        let life = (0..<10_000 as Range<UInt32>).map { Self.packet($0, bits: bits) }
        for packet in life { judge(replay.judge(packet.counter, packet.tag, at: 0), is: .new) }
        if isRestarted { replay = Self.restarted(replay) }
        // The sensor is quiet, as a contact is; a packet every 20 s for more than two days, in both orders.
        var now: Int64 = 0
        for packet in life.dropLast() + life.dropLast().reversed() {
            now += 20_000
            judge(replay.judge(packet.counter, packet.tag, at: now), is: .played)
        }
        judge(replay.judge(life[9_999].counter, life[9_999].tag, at: now), is: .current)
        let next = Self.packet(10_000, bits: bits)
        judge(replay.judge(next.counter, next.tag, at: now), is: .new)
    }

    @Test func `a counter of 24 bits past its half does not make the beginning new again`() {
        var replay = ReplayGuard()
        judge(replay.judge(PacketNumber(0x00_0005, bits: 24), PacketTag(1), at: 0), is: .new)
        judge(replay.judge(PacketNumber(0xA0_0000, bits: 24), PacketTag(2), at: 0), is: .new)
        judge(replay.judge(PacketNumber(0x00_0005, bits: 24), PacketTag(1), at: 1), is: .played)
        judge(replay.judge(PacketNumber(0x20_0000, bits: 24), PacketTag(3), at: 1), is: .played)
    }

    @Test func `a sensor that goes back is told of, and counts from there when the operator says so`() {
        for isRestarted in [false, true] {
            var replay = ReplayGuard()
            let old = Self.packet(10_000)
            judge(replay.judge(old.counter, old.tag, at: 0), is: .new)
            for value: UInt32 in 200..<202 {
                let packet = Self.packet(value, life: 2)
                judge(replay.judge(packet.counter, packet.tag, at: 10), is: .played)
                #expect(!replay.hasGoneBack)
            }
            let third = Self.packet(202, life: 2)
            judge(replay.judge(third.counter, third.tag, at: 10), is: .played)
            #expect(replay.hasGoneBack)
            // However long, and however many: the operator decides.
            for value: UInt32 in 203..<600 {
                let packet = Self.packet(value, life: 2)
                judge(replay.judge(packet.counter, packet.tag, at: Int64(value) * 60_000), is: .played)
            }
            replay.settle(at: 600 * 60_000)
            #expect(replay.last == 599 && !replay.hasGoneBack)
            let taken = Self.packet(599, life: 2)
            judge(replay.judge(taken.counter, taken.tag, at: 600 * 60_000), is: .current)
            if isRestarted { replay = Self.restarted(replay) }
            let next = Self.packet(600, life: 2)
            judge(replay.judge(next.counter, next.tag, at: 600 * 60_000), is: .new)
            for value: UInt32 in 0..<599 {
                let packet = Self.packet(value, life: 2)
                judge(replay.judge(packet.counter, packet.tag, at: 600 * 60_000), is: .played)
            }
        }
    }

    @Test(arguments: [(600_000, 5), (600_001, 10_000)] as [(Int64, UInt32)])
    func `the operator's word is about packets of the last ten minutes`(_ pause: Int64, _ last: UInt32) {
        var replay = ReplayGuard()
        let old = Self.packet(10_000)
        judge(replay.judge(old.counter, old.tag, at: 0), is: .new)
        let back = Self.packet(5, life: 2)
        judge(replay.judge(back.counter, back.tag, at: 1), is: .played)
        replay.settle(at: 1 + pause)
        #expect(replay.last == last)
        let next = Self.packet(6, life: 2)
        judge(replay.judge(next.counter, next.tag, at: 2 + pause), is: .new)
    }

    @Test func `other octets under the newest counter are new, and the first ones are the same packet`() {
        var replay = ReplayGuard()
        for (tag, verdict) in [(1, .new), (2, .new), (1, .current)] as [(UInt32, ReplayGuard.Verdict)] {
            judge(replay.judge(PacketNumber(100, bits: 32), PacketTag(tag), at: 0), is: verdict)
        }
    }

    @Test func `the operator's word before the packet waits for ten minutes`() {
        for (pause, verdict) in [(Int64(600_000), ReplayGuard.Verdict.new), (600_001, .played)] {
            var replay = ReplayGuard()
            let old = Self.packet(10_000)
            judge(replay.judge(old.counter, old.tag, at: 0), is: .new)
            replay.settle(at: 0)
            let new = Self.packet(3, life: 2)
            judge(replay.judge(new.counter, new.tag, at: pause), is: verdict)
        }
    }

    @Test func `a battery's life that the gateway has heard from its beginning ends by itself`() {
        for isRestarted in [false, true] {
            var replay = ReplayGuard()
            var recorded: [Packet] = []
            for life: UInt32 in 1...3 {
                for value: UInt32 in 0..<1_000 {
                    let packet = Self.packet(value, life: life)
                    recorded.append(packet)
                    // The first packets of a new life are the proof of the new life.
                    let isProof = life > 1 && value < UInt32(CounterLife.proof) - 1
                    let verdict = replay.judge(packet.counter, packet.tag, at: Int64(value) * 1_000)
                    judge(verdict, is: isProof ? .played : .new)
                }
                if isRestarted { replay = Self.restarted(replay) }
                // No recording of this or an earlier life counts as a fourth life.
                for packet in recorded where packet.counter.value < 999 {
                    judge(replay.judge(packet.counter, packet.tag, at: 1_000_000), is: .played)
                }
            }
        }
    }

    /// A packet far ahead is a recording of an earlier life, unless the sensor was quiet for long.
    @Test(arguments: [(600_000, .new), (600_001, .played)] as [(Int64, ReplayGuard.Verdict)])
    func `a packet from far ahead does not end the proof of a new life`(_ pause: Int64, _ verdict: ReplayGuard.Verdict)
    {
        var replay = ReplayGuard()
        for value: UInt32 in 0..<1_000 {
            let packet = Self.packet(value)
            judge(replay.judge(packet.counter, packet.tag, at: 0), is: .new)
        }
        let last = UInt32(CounterLife.proof) - 1
        for value in 0..<last {
            let packet = Self.packet(value, life: 2)
            judge(replay.judge(packet.counter, packet.tag, at: 1), is: .played)
        }
        let far = Self.packet(700, life: 3)
        judge(replay.judge(far.counter, far.tag, at: 1 + pause), is: .played)
        let proof = Self.packet(last, life: 2)
        judge(replay.judge(proof.counter, proof.tag, at: 1 + pause), is: verdict)
    }

    @Test func `after four lives that were heard from their beginnings only the operator begins another one`() {
        var replay = ReplayGuard()
        for life: UInt32 in 1...4 {
            for value: UInt32 in 0..<200 {
                let packet = Self.packet(value, life: life)
                _ = replay.judge(packet.counter, packet.tag, at: Int64(value) * 1_000)
            }
            #expect(replay.last == 199 && replay.life.count == life)
        }
        for value: UInt32 in 0..<199 {
            let packet = Self.packet(value, life: 5)
            judge(replay.judge(packet.counter, packet.tag, at: Int64(value) * 1_000), is: .played)
        }
        replay.settle(at: 200_000)
        let next = Self.packet(199, life: 5)
        judge(replay.judge(next.counter, next.tag, at: 200_000), is: .new)
    }

    @Test func `recordings of the longest life are far ahead of the third one, too`() {
        var replay = ReplayGuard()
        for (life, last) in [(1, 9_000), (2, 500), (3, 5)] as [(UInt32, UInt32)] {
            replay.settle(at: 0)
            let packet = Self.packet(last, life: life)
            judge(replay.judge(packet.counter, packet.tag, at: 0), is: .new)
        }
        for value: UInt32 in [1_030, 5_000, 9_000] {
            let packet = Self.packet(value)
            judge(replay.judge(packet.counter, packet.tag, at: 1), is: .played)
        }
        let beyond = Self.packet(9_001)
        judge(replay.judge(beyond.counter, beyond.tag, at: 1), is: .new)
    }

    @Test func `a life that was not heard from its beginning does not end by itself`() {
        var replay = ReplayGuard()
        let old = Self.packet(5_000)
        judge(replay.judge(old.counter, old.tag, at: 0), is: .new)
        for value: UInt32 in 0..<64 {
            let packet = Self.packet(value, life: 2)
            judge(replay.judge(packet.counter, packet.tag, at: Int64(value) * 60_000), is: .played)
        }
        #expect(replay.hasGoneBack)
    }

    @Test func `in a second life the first one counts 1,024 steps ahead, and the operator is told`() {
        let first = (0..<5_000 as Range<UInt32>).map { Self.packet($0, life: 1) }
        var replay = ReplayGuard()
        for packet in first { judge(replay.judge(packet.counter, packet.tag, at: 0), is: .new) }
        replay.settle(at: 0)
        for value: UInt32 in 0..<300 {
            let packet = Self.packet(value, life: 2)
            judge(replay.judge(packet.counter, packet.tag, at: 1), is: .new)
        }
        // 1,024 steps from 299 on.
        judge(replay.judge(first[1_324].counter, first[1_324].tag, at: 2), is: .played)
        judge(replay.judge(first[1_323].counter, first[1_323].tag, at: 3), is: .new)
        for value: UInt32 in 300..<303 {
            let packet = Self.packet(value, life: 2)
            judge(replay.judge(packet.counter, packet.tag, at: 4), is: .played)
        }
        #expect(replay.hasGoneBack)
        replay.settle(at: 5)
        let packet = Self.packet(303, life: 2)
        judge(replay.judge(packet.counter, packet.tag, at: 6), is: .new)
    }

    @Test func `the operator's word before an earlier run is known of is about its counter`() {
        var earlier = ReplayGuard()
        let old = Self.packet(9_000)
        _ = earlier.judge(old.counter, old.tag, at: 0)
        var replay = ReplayGuard()
        replay.settle(at: 0)
        replay.resume(counter: earlier.counterText(mark: "1") ?? "", tags: earlier.tagText(mark: "1"), mark: "1")
        let new = Self.packet(5, life: 2)
        judge(replay.judge(new.counter, new.tag, at: 1), is: .new)
        judge(replay.judge(old.counter, old.tag, at: 2), is: .played)
    }

    @Test(arguments: ["", "x 1", "5", "5 2", "5 1 x 0", "5 1 1 x", "99999999999 1 1 0", "5 1 1 0 0"])
    func `what is no counter's text, or another key's, is not gone on from`(_ text: String) {
        var replay = ReplayGuard()
        replay.resume(counter: text, tags: "1 ?", mark: "1")
        #expect(replay.last == nil || text.hasPrefix("5 1 "))
        let packet = Self.packet(3)
        if replay.last == nil { judge(replay.judge(packet.counter, packet.tag, at: 0), is: .new) }
    }

    @Test func `the tags of another key are not those of the sensor's packets`() {
        var earlier = ReplayGuard()
        for value: UInt32 in 0..<256 {
            let packet = Self.packet(value, bits: 8)
            _ = earlier.judge(packet.counter, packet.tag, at: 0)
        }
        let counter = earlier.counterText(mark: "1") ?? ""
        for (mark, verdict) in [("1", ReplayGuard.Verdict.played), ("2", .new)] {
            var replay = ReplayGuard()
            replay.resume(counter: counter, tags: earlier.tagText(mark: mark), mark: "1")
            let packet = Self.packet(100, bits: 8)
            judge(replay.judge(packet.counter, packet.tag, at: 0), is: verdict)
        }
    }

    // MARK: Short counters

    @Test func `packets that jump ahead keep the sensor's own out after a minute, and not after eight packets`() {
        for (pause, verdict) in [(500, .new), (7_000, .played)] as [(Int64, ReplayGuard.Verdict)] {
            var replay = ReplayGuard()
            judge(replay.judge(PacketNumber(10, bits: 8), PacketTag(1), at: 0), is: .new)
            for step in 0..<12 as Range<Int64> {
                let number = PacketNumber(UInt32(40 + step), bits: 8)
                judge(replay.judge(number, PacketTag(UInt32(100 + step)), at: (step + 1) * pause), is: .new)
            }
            judge(replay.judge(PacketNumber(11, bits: 8), PacketTag(2), at: 13 * pause), is: verdict)
        }
    }

    private static func short(_ count: Int) -> [Packet] {
        (0..<UInt32(count)).map { Self.packet($0, bits: 8, life: 1 + $0 / 256) }
    }

    @Test(arguments: [false, true])
    func `of the last cycle of 8 bits no packet is new, however long the sensor is quiet`(_ isRestarted: Bool) {
        var replay = ReplayGuard()
        let sent = Self.short(10_000)
        for packet in sent { judge(replay.judge(packet.counter, packet.tag, at: 0), is: .new) }
        if isRestarted { replay = Self.restarted(replay) }
        var now: Int64 = 0
        for round in 0..<40 {
            for packet in sent.suffix(256).dropLast() {
                now += round.isMultiple(of: 2) ? 1_000 : 700_000
                judge(replay.judge(packet.counter, packet.tag, at: now), is: .played)
            }
        }
        judge(replay.judge(sent[9_999].counter, sent[9_999].tag, at: now), is: .current)
    }

    @Test func `a recording ahead does not move the anchor away from a sensor that goes on speaking`() {
        var replay = ReplayGuard()
        let sent = Self.short(1_000)
        for packet in sent.prefix(600) { _ = replay.judge(packet.counter, packet.tag, at: 0) }
        var refused = 0
        for (place, packet) in sent.enumerated().dropFirst(600) {
            let now = Int64(place) * 2_000
            // A packet of a cycle before the last: the guard has forgotten it.
            let old = sent[place - 482]
            if place.isMultiple(of: 24) { _ = replay.judge(old.counter, old.tag, at: now) }
            if replay.judge(packet.counter, packet.tag, at: now) != .new { refused += 1 }
        }
        #expect(refused == 0)
    }

    @Test func `a sensor whose packets are lost goes on, up to 32 steps, and beyond after ten minutes`() {
        var replay = ReplayGuard()
        func take(_ value: UInt32, _ life: UInt32 = 1, at now: Int64) -> ReplayGuard.Verdict {
            let packet = Self.packet(value, bits: 8, life: life)
            return replay.judge(packet.counter, packet.tag, at: now)
        }
        judge(take(200, at: 0), is: .new)
        judge(take(232, at: 1), is: .new)
        judge(take(9, at: 2), is: .played)
        judge(take(8, at: 3), is: .new)
        judge(take(100, at: 599_000), is: .played)
        judge(take(100, at: 600_003), is: .new)
        judge(take(101, at: 600_004), is: .new)
    }

    @Test func `a jump that was followed for a minute is the sensor's own`() {
        var replay = ReplayGuard()
        func take(_ value: UInt32, at now: Int64) -> ReplayGuard.Verdict {
            let packet = Self.packet(value, bits: 8)
            return replay.judge(packet.counter, packet.tag, at: now)
        }
        judge(take(10, at: 0), is: .new)
        judge(take(40, at: 0), is: .new)
        for step: UInt32 in 1...8 { judge(take(40 + step, at: Int64(step) * 8_000), is: .new) }
        // The omitted counter is too old by now.
        judge(take(11, at: 70_000), is: .played)
    }
}

/// Lost packets in a later life, and recordings of that life.
extension ReplayGuardTests {
    private func tag(_ life: UInt32, _ value: UInt32) -> PacketTag { PacketTag(life << 24 | value + 1) }

    /// In its second life, at counter 700; the first life went to 9,999.
    private func secondLife() -> ReplayGuard {
        var replay = ReplayGuard()
        for value in 9_000...9_999 as ClosedRange<UInt32> {
            _ = replay.judge(PacketNumber(value, bits: 32), tag(1, value), at: 0)
        }
        replay.settle(at: 0)
        for value in 400...700 as ClosedRange<UInt32> {
            #expect(replay.judge(PacketNumber(value, bits: 32), tag(2, value), at: 1_000) == .new)
        }
        return replay
    }

    @Test func `a packet that was lost on the air opens no way for those that were heard`() {
        var replay = secondLife()
        // 701 and 702 are lost.
        for value in 703...800 as ClosedRange<UInt32> {
            _ = replay.judge(PacketNumber(value, bits: 32), tag(2, value), at: 2_000)
        }
        for value in 400...799 as ClosedRange<UInt32> {
            #expect(replay.judge(PacketNumber(value, bits: 32), tag(2, value), at: 3_000) == .played, "\(value)")
        }
        #expect(replay.judge(PacketNumber(801, bits: 32), tag(2, 801), at: 4_000) == .new)
    }
}
