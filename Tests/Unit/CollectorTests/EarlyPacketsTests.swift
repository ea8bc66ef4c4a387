// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Testing

@testable import Collector

/// Packets that wait for the journal.
struct EarlyPacketsTests {
    private static func packet(_ number: UInt32, tag: UInt32 = 1, stream: String = "bthome") -> EarlyPackets.Packet {
        EarlyPackets.Packet(
            packet: AdvertisedPacket([1]), stream: stream, counter: PacketNumber(number, bits: 32),
            tag: PacketTag(tag),
            stamp: TimeStamp(
                boot: "now", uptimeMilliseconds: Int64(number), unixMilliseconds: nil, quality: .unsynced))
    }

    /// A function, because the macro takes no mutating call.
    private func take(
        _ packet: EarlyPackets.Packet, _ early: inout EarlyPackets, is wanted: EarlyPackets.Verdict,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let verdict = early.judge(packet)
        #expect(verdict == wanted, sourceLocation: sourceLocation)
    }

    @Test func `as many wait as there is room for, in their order, and the oldest ones go`() {
        var early = EarlyPackets()
        for number in 0..<UInt32(EarlyPackets.maximum) { take(Self.packet(number), &early, is: .waits) }
        for number in 0..<UInt32(3) {
            take(Self.packet(UInt32(EarlyPackets.maximum) + number), &early, is: .displaced)
        }
        let all = early.takeAll()
        #expect(all.map(\.counter.value) == Array(3..<UInt32(EarlyPackets.maximum + 3)))
        #expect(early.waiting.isEmpty && early.takeAll().isEmpty)
    }

    @Test func `a packet that waits already waits once, and another one under its counter waits, too`() {
        var early = EarlyPackets()
        take(Self.packet(1), &early, is: .waits)
        take(Self.packet(2), &early, is: .waits)
        take(Self.packet(1), &early, is: .repeated)
        take(Self.packet(1, tag: 2), &early, is: .waits)
        take(Self.packet(1, stream: "atc"), &early, is: .waits)
        #expect(early.waiting.count == 4)
    }
}
