// SPDX-License-Identifier: Apache-2.0

import Readings
import Testing

@testable import Collector

struct PacketMachineTests {
    private static func packet(_ value: UInt8, _ number: UInt32? = nil, bits: Int = 8) -> AdvertisedPacket {
        AdvertisedPacket([value], number: number.map { PacketNumber($0, bits: bits) })
    }

    /// A function, because the macro takes no mutating call.
    private func judge<Value: Equatable>(
        _ value: Value, is wanted: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(value == wanted, sourceLocation: sourceLocation)
    }

    @Test func `a packet that is numbered is new once, however long it is sent`() {
        var machine = PacketMachine()
        judge(machine.judge(Self.packet(1, 7), stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.judge(Self.packet(1, 7), stream: "a", at: 10), is: .repeated)
        judge(machine.judge(Self.packet(1, 7), stream: "a", at: 3_600_000), is: .repeated)
        judge(machine.judge(Self.packet(1, 8), stream: "a", at: 3_600_010), is: .new(missing: 0))
        #expect(machine.missing == 0)
    }

    @Test func `what is not numbered is new when it differs, and once a minute when it does not`() {
        var machine = PacketMachine()
        judge(machine.judge(Self.packet(1), stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.judge(Self.packet(1), stream: "a", at: PacketMachine.unchangedTime - 1), is: .repeated)
        judge(machine.judge(Self.packet(2), stream: "a", at: PacketMachine.unchangedTime - 1), is: .new(missing: 0))
        judge(machine.judge(Self.packet(1), stream: "a", at: PacketMachine.unchangedTime), is: .new(missing: 0))
        judge(machine.judge(Self.packet(2), stream: "a", at: PacketMachine.unchangedTime), is: .repeated)
    }

    @Test func `an event may happen again after five seconds`() {
        var machine = PacketMachine()
        let press = AdvertisedPacket([1], isEvent: true)
        judge(machine.judge(press, stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.judge(press, stream: "a", at: 4_999), is: .repeated)
        judge(machine.judge(press, stream: "a", at: 5_000), is: .new(missing: 0))
    }

    @Test func `octets that are like no others are known whenever they come again`() {
        var machine = PacketMachine()
        let press = AdvertisedPacket([1], isEvent: true, isUnique: true)
        judge(machine.judge(press, stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.judge(press, stream: "a", at: 3_600_000), is: .repeated)
        let next = AdvertisedPacket([2], isEvent: true, isUnique: true)
        judge(machine.judge(next, stream: "a", at: 3_600_001), is: .new(missing: 0))
    }

    @Test func `packets in turns are each known; two families do not meet`() {
        var machine = PacketMachine()
        for value: UInt8 in 0..<8 {
            judge(machine.judge(Self.packet(value), stream: "a", at: 0), is: .new(missing: 0))
        }
        for value: UInt8 in 0..<8 { judge(machine.judge(Self.packet(value), stream: "a", at: 1), is: .repeated) }
        judge(machine.judge(Self.packet(0), stream: "b", at: 2), is: .new(missing: 0))
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
        judge(machine.judge(short(0x1205), stream: "a", at: 0), is: .new(missing: 0))
        // The first long packet may belong to the sample of the last short packet.
        judge(machine.judge(long(0x1205), stream: "a", at: 10), is: .repeated)
        for number: UInt32 in 0x1206..<0x1210 {
            let now = Int64(number - 0x1205) * 1_000
            // In either order.
            if number.isMultiple(of: 2) {
                judge(machine.judge(short(number), stream: "a", at: now), is: .repeated)
            }
            judge(machine.judge(long(number), stream: "a", at: now + 1), is: .new(missing: 0))
            judge(machine.judge(short(number), stream: "a", at: now + 2), is: .repeated)
        }
        // Out of reach of the extended advertising: packets missing from both kinds do not count as missing.
        judge(machine.judge(short(0x1210), stream: "a", at: 40_000), is: .repeated)
        judge(machine.judge(short(0x1244), stream: "a", at: 72_000), is: .new(missing: 0))
        judge(machine.judge(short(0x1246), stream: "a", at: 73_000), is: .new(missing: 1))
        // A long packet of another sample is new.
        judge(machine.judge(long(0x1247), stream: "a", at: 74_000), is: .new(missing: 0))
        judge(machine.judge(long(0x1249), stream: "a", at: 76_000), is: .new(missing: 1))
        #expect(machine.missing == 2)
    }

    @Test func `a sensor that numbers what changes tells an unchanged value again after a minute`() {
        func packet(_ value: UInt8, _ number: UInt32) -> AdvertisedPacket {
            AdvertisedPacket([value], number: PacketNumber(number, bits: 8), numbersChanges: true)
        }
        var machine = PacketMachine()
        judge(machine.judge(packet(1, 7), stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.judge(packet(1, 7), stream: "a", at: 59_999), is: .repeated)
        judge(machine.judge(packet(1, 7), stream: "a", at: 60_000), is: .new(missing: 0))
        judge(machine.judge(packet(2, 9), stream: "a", at: 60_001), is: .new(missing: 1))
    }

    @Test func `a packet that eight others came after is new again`() {
        var machine = PacketMachine()
        for value: UInt8 in 0...8 {
            judge(machine.judge(Self.packet(value), stream: "a", at: 0), is: .new(missing: 0))
        }
        judge(machine.judge(Self.packet(1), stream: "a", at: 1), is: .repeated)
        judge(machine.judge(Self.packet(0), stream: "a", at: 2), is: .new(missing: 0))
    }

    @Test func `numbers that never came are counted, over the end of their octet, too`() {
        var machine = PacketMachine()
        judge(machine.judge(Self.packet(1, 253), stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.judge(Self.packet(2, 1), stream: "a", at: 1), is: .new(missing: 3))
        #expect(machine.missing == 3)
    }

    @Test(arguments: [(600_000, 105), (600_001, 0)])
    func `after ten minutes of silence it may have begun anew`(_ pause: Int64, _ missing: Int) {
        var machine = PacketMachine()
        judge(machine.judge(Self.packet(1, 200), stream: "a", at: 0), is: .new(missing: 0))
        judge(machine.judge(Self.packet(2, 50), stream: "a", at: pause), is: .new(missing: missing))
        #expect(machine.missing == missing)
    }

    // MARK: Replays

    @Test func `a packet that is played back is no repeat, and not new`() {
        func counter(_ value: UInt32) -> PacketNumber { PacketNumber(value, bits: 32) }
        var machine = PacketMachine()
        machine.change { $0.resume(counter: "50 1", tags: nil, mark: "1") }
        judge(machine.judge(Self.packet(1), stream: "a", counter: counter(51), at: 0), is: .new(missing: 0))
        judge(machine.judge(Self.packet(1), stream: "a", counter: counter(51), at: 1), is: .repeated)
        judge(machine.judge(Self.packet(1), stream: "a", counter: counter(49), at: 2), is: .replayed)
        judge(machine.judge(Self.packet(1), stream: "a", counter: counter(52), at: 3), is: .new(missing: 0))
    }

    @Test func `another key forgets the counter of the one before`() {
        func counter(_ value: UInt32) -> PacketNumber { PacketNumber(value, bits: 32) }
        var machine = PacketMachine()
        judge(machine.judge(Self.packet(1), stream: "a", counter: counter(5_000), at: 0), is: .new(missing: 0))
        judge(machine.judge(Self.packet(1), stream: "a", counter: counter(1), at: 1), is: .replayed)
        machine.forgetCounter()
        judge(machine.judge(Self.packet(1), stream: "a", counter: counter(1), at: 2), is: .new(missing: 0))
    }
}
