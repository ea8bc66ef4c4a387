// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Finds out whether a key is right, if the cipher gives no proof.
///
/// A wrong key makes noise of every record, and some noise looks like values. Records opened with the right key
/// resemble each other: states, limits and unused fields stay, and values move slowly. So the first packets are held
/// until several packets were compared. Packets that are alike are then handed on together.
struct KeyProof: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        /// More packets are needed. This packet is kept.
        case wait
        /// The key is right: these packets are the sensor's, in their order.
        case right([Held])
        /// The key is wrong: the number of packets that were noise.
        case wrong(Int)
    }

    /// Minimum number of compared packets. Each packet is compared with the packet before.
    static let sample = 6
    /// Minimum number of compared bits. Short records need more packets, because short noise is alike now and then.
    static let bits = 240
    /// Two records of noise have about 50 equal bits in a hundred; two records of a sensor have far more.
    static let alike = 70

    /// A packet, and its time of arrival.
    struct Held: Equatable, Sendable {
        var packet: AdvertisedPacket
        var stamp: TimeStamp
    }

    private var held: [Held] = []
    /// Packets that were let go, because the next packet had another subject.
    private(set) var discarded = 0
    private(set) var isProven = false

    /// Takes a packet that was not heard before.
    mutating func judge(_ packet: AdvertisedPacket, at stamp: TimeStamp) -> Verdict {
        let new = Held(packet: packet, stamp: stamp)
        if isProven { return .right([new]) }
        // Packets with different subjects cannot be compared.
        if let last = held.last?.packet.value, last.count != packet.value.count || last.first != packet.value.first {
            discarded += held.count
            held.removeAll()
        }
        held.append(new)
        let pairs = held.count - 1
        guard held.count >= Self.sample, pairs * packet.openedValue.count * 8 >= Self.bits || pairs >= Self.bits else {
            return .wait
        }
        defer { held.removeAll() }
        var (same, bits) = (0, 0)
        for (one, other) in zip(held, held.dropFirst()) {
            // Unencrypted octets are alike with any key.
            for (left, right) in zip(one.packet.openedValue, other.packet.openedValue) {
                same += 8 - (left ^ right).nonzeroBitCount
                bits += 8
            }
        }
        guard same * 100 >= bits * Self.alike else { return .wrong(held.count) }
        isProven = true
        return .right(held)
    }
}

extension AdvertisedPacket {
    fileprivate var openedValue: ArraySlice<UInt8> {
        opened.map { value[$0.clamped(to: value.indices)] } ?? value[...]
    }
}
