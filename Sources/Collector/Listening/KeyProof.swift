// SPDX-License-Identifier: Apache-2.0

import Readings

/// Tells whether a key is right where the cipher does not say so.
///
/// A wrong key makes noise of every record, and some noise looks like values. What the right key opens resembles what it opened
/// before: states, limits and unused fields stay, and values move slowly. So the first packets are held until several
/// of them were compared, and handed on together when they are alike.
struct KeyProof: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        /// More packets are needed; this one is kept.
        case wait
        /// The key is right: these are the sensor's, in their order.
        case right([Held])
        /// The key is wrong: so many packets were noise.
        case wrong(Int)
    }

    /// Packets that are compared at least, each with the one before it.
    static let sample = 6
    /// Bits that are compared at least: short records need more packets, because noise of few bits is alike now and then.
    static let bits = 240
    /// Of a hundred bits of two records of noise 50 are the same, more or less; of two of one sensor far more.
    static let alike = 70

    /// A packet, and when it came.
    struct Held: Equatable, Sendable {
        var packet: AdvertisedPacket
        var stamp: TimeStamp
    }

    private var held: [Held] = []
    /// Packets that were let go of, because what came after them was about something else.
    private(set) var discarded = 0
    private(set) var isProven = false

    /// Takes a packet that was not heard before.
    mutating func take(_ packet: AdvertisedPacket, at stamp: TimeStamp) -> Verdict {
        let new = Held(packet: packet, stamp: stamp)
        if isProven { return .right([new]) }
        // What is about something else cannot be compared.
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
            // Octets in the clear are alike whatever the key is.
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
