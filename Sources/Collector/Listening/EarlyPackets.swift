// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Packets of a sensor with a counter, from the time before the journal is open. Each of them may be a recording, and
/// the facts of earlier runs are still unknown. The packets wait with their times of arrival, and are judged when the
/// journal is open.
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
        /// An equal packet already waits.
        case repeated
        /// The packet waits, and the oldest packet is dropped.
        case displaced
    }

    /// Limit of waiting packets for each sensor.
    static let maximum = 64

    private(set) var waiting: [Packet] = []

    mutating func judge(_ packet: Packet) -> Verdict {
        if waiting.contains(where: { $0.isSame(as: packet) }) { return .repeated }
        defer { waiting.append(packet) }
        guard waiting.count >= Self.maximum else { return .waits }
        waiting.removeFirst()
        return .displaced
    }

    /// Removes and returns all waiting packets, in the order of reception.
    mutating func takeAll() -> [Packet] {
        defer { waiting = [] }
        return waiting
    }
}
