// SPDX-License-Identifier: Apache-2.0

import Readings

/// Packets of a sensor with a counter that came before anybody knows what earlier runs have heard, as the journal is not open yet:
/// each may be a recording. They wait, with the times when they came, and are judged when the journal is open.
struct EarlyPackets: Equatable, Sendable {
    /// An authentic packet.
    struct Packet: Equatable, Sendable {
        var packet: AdvertisedPacket
        /// The family of the packet.
        var stream: String
        var counter: PacketNumber
        var tag: PacketTag?
        var stamp: TimeStamp

        fileprivate func isSame(as other: Self) -> Bool {
            counter == other.counter && tag == other.tag && packet.value == other.packet.value && stream == other.stream
        }
    }

    enum Verdict: Equatable, Sendable {
        case waits
        /// The same packet waits already.
        case repeated
        /// The packet waits, and the oldest one had to go.
        case displaced
    }

    /// Packets of one sensor that wait, at most.
    static let maximum = 64

    private(set) var waiting: [Packet] = []

    mutating func take(_ packet: Packet) -> Verdict {
        if waiting.contains(where: { $0.isSame(as: packet) }) { return .repeated }
        defer { waiting.append(packet) }
        guard waiting.count >= Self.maximum else { return .waits }
        waiting.removeFirst()
        return .displaced
    }

    /// All that wait, in the order of reception; none waits any more.
    mutating func takeAll() -> [Packet] {
        defer { waiting = [] }
        return waiting
    }
}
