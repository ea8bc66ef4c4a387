// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// ACL data that has overtaken the event of its link, as it may if data and events have separate pipes (USB). The data
/// may be the first request of a peer, which otherwise waits 30 s for its answer. The data is kept for a moment, and
/// goes to its link when the event comes.
///
/// Late data of an ended link never goes to the next link, which may reuse the handle.
struct EarlyData: Sendable {
    /// Limits: kept packets, and octets of each packet.
    static let capacity = 8
    static let longestPacket = 1_024
    /// How far an event may be behind.
    static let patience: Duration = .milliseconds(500)
    /// How long after the end of a link nothing is kept for its handle.
    static let pause: Duration = .seconds(2)

    private var packets: [(handle: UInt16, octets: [UInt8], at: MonotonicTime)] = []
    /// Links that have ended last, in a ring. If more links end within ``pause``, the first are forgotten.
    private var ends = [(handle: UInt16, at: MonotonicTime)?](repeating: nil, count: 16)
    private var nextEnd = 0

    /// Keeps a packet on a handle without a link, if there is room.
    mutating func hold(_ packet: RawSpan, on handle: UInt16, at now: MonotonicTime) {
        packets.removeAll { now - $0.at > Self.patience }
        guard packets.count < Self.capacity, packet.byteCount <= Self.longestPacket, !hasJustEnded(handle, at: now)
        else { return }
        packets.append((handle, packet.array(0..<packet.byteCount), now))
    }

    /// The packets kept for a link that has come up, in their order.
    mutating func take(_ handle: UInt16, at now: MonotonicTime) -> [[UInt8]] {
        guard !packets.isEmpty else { return [] }
        defer { packets.removeAll { $0.handle == handle } }
        return packets.filter { $0.handle == handle && now - $0.at <= Self.patience }.map(\.octets)
    }

    mutating func ended(_ handle: UInt16, at now: MonotonicTime) {
        ends[nextEnd] = (handle, now)
        nextEnd = (nextEnd + 1) % ends.count
        packets.removeAll { $0.handle == handle }
    }

    private func hasJustEnded(_ handle: UInt16, at now: MonotonicTime) -> Bool {
        ends.contains { end in end.map { $0.handle == handle && now - $0.at <= Self.pause } ?? false }
    }
}
