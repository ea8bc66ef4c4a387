// SPDX-License-Identifier: Apache-2.0

/// The last 256 accepted packets with an 8-bit counter. ``ReplayGuard/cycle`` has one tag for each counter, so a recording of an earlier
/// cycle replaces the tag of a newer packet there.
struct AcceptedPackets: Equatable, Sendable {
    static let capacity = 256

    private var packets: [UInt64] = []
    private var oldest = 0

    func has(_ counter: UInt32, _ tag: PacketTag) -> Bool { packets.contains(Self.packet(counter, tag)) }

    mutating func record(_ counter: UInt32, _ tag: PacketTag) {
        let packet = Self.packet(counter, tag)
        if packets.count < Self.capacity {
            packets.append(packet)
        } else {
            packets[oldest] = packet
            oldest = (oldest + 1) % Self.capacity
        }
    }

    private static func packet(_ counter: UInt32, _ tag: PacketTag) -> UInt64 {
        UInt64(counter) << 32 | UInt64(tag.value)
    }
}
