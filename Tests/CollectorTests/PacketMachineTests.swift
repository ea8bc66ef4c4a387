// SPDX-License-Identifier: Apache-2.0

import Readings
import Testing

@testable import Collector

struct PacketMachineTests {
    private static func packet(_ value: UInt8, _ number: UInt32? = nil, bits: Int = 8) -> AdvertisedPacket {
        AdvertisedPacket([value], number: number.map { PacketNumber($0, bits: bits) })
    }

    /// The macro takes no call that changes something.
    private func judge<Value: Equatable>(
        _ value: Value, is wanted: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(value == wanted, sourceLocation: sourceLocation)
    }

    @Test func `a packet that is numbered is new once, however long it is sent`() {
        var machine = PacketMachine()
        judge(machine.take(Self.packet(1, 7), stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.take(Self.packet(1, 7), stream: "a", at: 10), is: .repeated)
        judge(machine.take(Self.packet(1, 7), stream: "a", at: 3_600_000), is: .repeated)
        judge(machine.take(Self.packet(1, 8), stream: "a", at: 3_600_010), is: .new(missing: 0))
        #expect(machine.missing == 0)
    }

    @Test func `what is not numbered is new when it differs, and once a minute when it does not`() {
        var machine = PacketMachine()
        judge(machine.take(Self.packet(1), stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.take(Self.packet(1), stream: "a", at: PacketMachine.unchangedTime - 1), is: .repeated)
        judge(machine.take(Self.packet(2), stream: "a", at: PacketMachine.unchangedTime - 1), is: .new(missing: 0))
        judge(machine.take(Self.packet(1), stream: "a", at: PacketMachine.unchangedTime), is: .new(missing: 0))
        judge(machine.take(Self.packet(2), stream: "a", at: PacketMachine.unchangedTime), is: .repeated)
    }

    @Test func `an event may happen again after five seconds`() {
        var machine = PacketMachine()
        let press = AdvertisedPacket([1], isEvent: true)
        judge(machine.take(press, stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.take(press, stream: "a", at: 4_999), is: .repeated)
        judge(machine.take(press, stream: "a", at: 5_000), is: .new(missing: 0))
    }

    @Test func `octets that are like no others are known whenever they come again`() {
        var machine = PacketMachine()
        let press = AdvertisedPacket([1], isEvent: true, isUnique: true)
        judge(machine.take(press, stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.take(press, stream: "a", at: 3_600_000), is: .repeated)
        let next = AdvertisedPacket([2], isEvent: true, isUnique: true)
        judge(machine.take(next, stream: "a", at: 3_600_001), is: .new(missing: 0))
    }

    @Test func `packets in turns are each known; two families do not meet`() {
        var machine = PacketMachine()
        for value: UInt8 in 0..<8 {
            judge(machine.take(Self.packet(value), stream: "a", at: 0), is: .new(missing: 0))
        }
        for value: UInt8 in 0..<8 { judge(machine.take(Self.packet(value), stream: "a", at: 1), is: .repeated) }
        judge(machine.take(Self.packet(0), stream: "b", at: 2), is: .new(missing: 0))
    }

    @Test func `of a sensor that tells each sample twice, one packet of a sample is new`() {
        func short(_ number: UInt32) -> AdvertisedPacket {
            AdvertisedPacket(
                [6, UInt8(truncatingIfNeeded: number)], number: PacketNumber(number & 0xFF, bits: 8), edition: .short)
        }
        func long(_ number: UInt32) -> AdvertisedPacket {
            AdvertisedPacket(
                [0xE1, UInt8(truncatingIfNeeded: number)], number: PacketNumber(number, bits: 24), edition: .long)
        }
        var machine = PacketMachine()
        judge(machine.take(short(0x1205), stream: "a", at: 0), is: .new(missing: 0))
        // The first long one may be of the sample that was told already.
        judge(machine.take(long(0x1205), stream: "a", at: 10), is: .repeated)
        for number: UInt32 in 0x1206..<0x1210 {
            let now = Int64(number - 0x1205) * 1_000
            // In either order.
            if number.isMultiple(of: 2) {
                judge(machine.take(short(number), stream: "a", at: now), is: .repeated)
            }
            judge(machine.take(long(number), stream: "a", at: now + 1), is: .new(missing: 0))
            judge(machine.take(short(number), stream: "a", at: now + 2), is: .repeated)
        }
        // Out of reach of its extended advertising: what came by neither is not counted as missing.
        judge(machine.take(short(0x1210), stream: "a", at: 40_000), is: .repeated)
        judge(machine.take(short(0x1244), stream: "a", at: 72_000), is: .new(missing: 0))
        judge(machine.take(short(0x1246), stream: "a", at: 73_000), is: .new(missing: 1))
        // A long one of another sample is new.
        judge(machine.take(long(0x1247), stream: "a", at: 74_000), is: .new(missing: 0))
        judge(machine.take(long(0x1249), stream: "a", at: 76_000), is: .new(missing: 1))
        #expect(machine.missing == 2)
    }

    @Test func `a sensor that numbers what changes tells an unchanged value again after a minute`() {
        func packet(_ value: UInt8, _ number: UInt32) -> AdvertisedPacket {
            AdvertisedPacket([value], number: PacketNumber(number, bits: 8), numbersChanges: true)
        }
        var machine = PacketMachine()
        judge(machine.take(packet(1, 7), stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.take(packet(1, 7), stream: "a", at: 59_999), is: .repeated)
        judge(machine.take(packet(1, 7), stream: "a", at: 60_000), is: .new(missing: 0))
        judge(machine.take(packet(2, 9), stream: "a", at: 60_001), is: .new(missing: 1))
    }

    @Test func `a packet that eight others came after is new again`() {
        var machine = PacketMachine()
        for value: UInt8 in 0...8 {
            judge(machine.take(Self.packet(value), stream: "a", at: 0), is: .new(missing: 0))
        }
        judge(machine.take(Self.packet(1), stream: "a", at: 1), is: .repeated)
        judge(machine.take(Self.packet(0), stream: "a", at: 2), is: .new(missing: 0))
    }

    @Test func `numbers that never came are counted, over the end of their octet, too`() {
        var machine = PacketMachine()
        judge(machine.take(Self.packet(1, 253), stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.take(Self.packet(2, 1), stream: "a", at: 1), is: .new(missing: 3))
        #expect(machine.missing == 3)
    }

    @Test(arguments: [(600_000, 105), (600_001, 0)])
    func `after ten minutes of silence it may have begun anew`(_ pause: Int64, _ missing: Int) {
        var machine = PacketMachine()
        judge(machine.take(Self.packet(1, 200), stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.take(Self.packet(2, 50), stream: "a", at: pause), is: .new(missing: missing))
        #expect(machine.missing == missing)
    }

    // MARK: Replays

    private static func counter(_ value: UInt32, bits: Int = 32) -> PacketNumber { PacketNumber(value, bits: bits) }

    @Test func `an older counter is refused, an equal and a newer one are taken`() {
        var replay = ReplayGuard()
        judge(replay.accepts(Self.counter(100), at: 0), is: true)
        judge(replay.accepts(Self.counter(99), at: 1), is: false)
        judge(replay.accepts(Self.counter(100), at: 2), is: true)
        judge(replay.accepts(Self.counter(101), at: 3), is: true)
        judge(replay.accepts(Self.counter(100), at: 4), is: false)
        #expect(replay.last == 101)
    }

    @Test func `a counter that is full begins again`() {
        var replay = ReplayGuard()
        judge(replay.accepts(Self.counter(255, bits: 8), at: 0), is: true)
        judge(replay.accepts(Self.counter(0, bits: 8), at: 1), is: true)
        judge(replay.accepts(Self.counter(200, bits: 8), at: 2), is: false)
    }

    @Test func `what an earlier run has heard is refused, and does not overtake what this one has`() {
        var replay = ReplayGuard()
        replay.resume(500)
        judge(replay.accepts(Self.counter(500 - 1), at: 0), is: false)
        judge(replay.accepts(Self.counter(501), at: 1), is: true)
        replay.resume(9_000)
        #expect(replay.last == 501)
    }

    @Test func `a sensor that begins anew is believed after sixteen packets over five minutes, and not before`() {
        var replay = ReplayGuard()
        judge(replay.accepts(Self.counter(10_000), at: 0), is: true)
        for packet: UInt32 in 1..<40 {
            judge(replay.accepts(Self.counter(packet), at: Int64(packet)), is: false)
        }
        judge(replay.accepts(Self.counter(40), at: ReplayGuard.restartTime + 1), is: true)
        judge(replay.accepts(Self.counter(39), at: ReplayGuard.restartTime + 2), is: false)
        #expect(replay.last == 40)
    }

    @Test func `few packets do not make a restart, however long they last, and neither do those that go back`() {
        var replay = ReplayGuard()
        judge(replay.accepts(Self.counter(10_000), at: 0), is: true)
        for packet: UInt32 in 1..<16 {
            judge(replay.accepts(Self.counter(packet), at: Int64(packet) * 60_000), is: false)
        }
        // One that goes back begins the proof again.
        judge(replay.accepts(Self.counter(3), at: 2_000_000), is: false)
        for packet: UInt32 in 4..<18 { judge(replay.accepts(Self.counter(packet), at: 2_000_000), is: false) }
        // The same packet again and again is one.
        for moment: Int64 in 0..<40 {
            judge(replay.accepts(Self.counter(17), at: 2_000_000 + moment * 60_000), is: false)
        }
    }

    @Test func `what looks like a restart is forgotten when the sensor goes on counting`() {
        var replay = ReplayGuard()
        judge(replay.accepts(Self.counter(10_000), at: 0), is: true)
        for packet: UInt32 in 1..<16 {
            judge(replay.accepts(Self.counter(packet), at: Int64(packet)), is: false)
        }
        judge(replay.accepts(Self.counter(10_001), at: 1_000), is: true)
        // It would be the sixteenth, long after the first.
        judge(replay.accepts(Self.counter(16), at: ReplayGuard.restartTime + 10), is: false)
        #expect(replay.last == 10_001)
    }

    @Test func `a packet that is played back is no repeat, and not new`() {
        var machine = PacketMachine()
        machine.resume(counter: 50)
        judge(machine.take(Self.packet(1), stream: "a", counter: Self.counter(51), at: 0), is: .new(missing: 0))
        judge(machine.take(Self.packet(1), stream: "a", counter: Self.counter(51), at: 1), is: .repeated)
        judge(machine.take(Self.packet(1), stream: "a", counter: Self.counter(49), at: 2), is: .replayed)
        judge(machine.take(Self.packet(1), stream: "a", counter: Self.counter(52), at: 3), is: .new(missing: 0))
    }

    @Test func `an earlier run has had the packet of its last counter`() {
        var replay = ReplayGuard()
        replay.resume(500)
        judge(replay.accepts(Self.counter(500), at: 0), is: false)
        judge(replay.accepts(Self.counter(501), at: 1), is: true)
        judge(replay.accepts(Self.counter(501), at: 2), is: true)
    }

    @Test func `of counters that come round soon only the next ones are new, until it was quiet for long`() {
        var replay = ReplayGuard()
        func short(_ value: UInt32) -> PacketNumber { PacketNumber(value, bits: 8) }
        judge(replay.accepts(short(200), at: 0), is: true)
        judge(replay.accepts(short(60), at: 1), is: false)
        judge(replay.accepts(short(201), at: 2), is: true)
        judge(replay.accepts(short(233), at: 3), is: true)
        judge(replay.accepts(short(10), at: 4), is: false)
        judge(replay.accepts(short(9), at: 5), is: true)
        judge(replay.accepts(short(100), at: 599_000), is: false)
        judge(replay.accepts(short(100), at: 600_006), is: true)
    }

    @Test func `another key forgets the counter of the one before`() {
        var machine = PacketMachine()
        judge(machine.take(Self.packet(1), stream: "a", counter: Self.counter(5_000), at: 0), is: .new(missing: 0))
        judge(machine.take(Self.packet(1), stream: "a", counter: Self.counter(1), at: 1), is: .replayed)
        machine.forgetCounter()
        judge(machine.take(Self.packet(1), stream: "a", counter: Self.counter(1), at: 2), is: .new(missing: 0))
    }
}
