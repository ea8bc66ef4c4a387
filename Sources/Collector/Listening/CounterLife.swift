// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The lives of a sensor that counts with more than 8 bits. After a change of the battery, the counter may begin near 0
/// again, under the old key.
///
/// A recording of a life looks like a new life, so the tags of the first packets of each life are remembered. A
/// beginning is accepted without the operator after several packets with these properties: every former life had their
/// counters, and no former life had their tags. A recording of a heard life cannot have these properties.
struct CounterLife: Equatable, Sendable {
    /// Counters below this number are a beginning.
    static let beginning: UInt32 = 64
    /// Limit of lives with remembered beginnings. After this number of lives, only the operator is believed.
    static let maximum = 4
    /// The number of packets that prove a new life.
    static let proof = 8
    /// Maximum time between two refused packets of a series, in milliseconds.
    private static let pause: Int64 = 600_000

    /// Packets that go back, each greater than the packet before.
    struct Restart: Equatable, Sendable {
        var last: UInt32
        var count = 1
        var at: Int64
        /// The packets of this series that are in no recording.
        var fresh = 0
        /// Tags by counter.
        var tags: [UInt32]
    }

    /// Lives so far, with the present life.
    private(set) var count = 1
    /// The greatest counter of earlier lives.
    private(set) var top: UInt32?
    /// Tags of beginnings, life after life; 0: unknown.
    private(set) var tags: [UInt32] = []
    var restart: Restart?

    init() {}

    /// From the state that an earlier run has kept.
    init(count: Int, top: UInt32?, tags: [UInt32]) {
        self.count = min(max(count, 1), 1 << 20)
        self.top = top
        // The tags are useless if they are no whole number of beginnings, or too many.
        let size = Int(Self.beginning)
        if tags.count.isMultiple(of: size), tags.count <= size * min(self.count, Self.maximum) { self.tags = tags }
    }

    private static func place(_ counter: UInt32, in life: Int) -> Int { life * Int(beginning) + Int(counter) }

    /// A packet of this life was accepted.
    mutating func record(_ counter: UInt32, _ tag: PacketTag) {
        guard counter < Self.beginning, count <= Self.maximum else { return }
        let size = Int(Self.beginning) * count
        if tags.count < size { tags += Array(repeating: 0, count: size - tags.count) }
        let place = Self.place(counter, in: count - 1)
        guard tags.indices.contains(place) else { return }
        // If packets of a sensor share a counter, the counter's tag means nothing.
        tags[place] = tags[place] == 0 || tags[place] == tag.value ? tag.value : 0
    }

    /// A packet goes back. Returns whether this proves a new life.
    mutating func shows(_ counter: UInt32, _ tag: PacketTag, at now: Int64) -> Bool {
        var isFresh = counter < Self.beginning && count < Self.maximum
        if counter < Self.beginning {
            for life in 0..<min(count, Self.maximum) {
                let place = Self.place(counter, in: life)
                let known = tags.indices.contains(place) ? tags[place] : 0
                // A recording proves nothing about the sensor.
                if known == tag.value { return false }
                if known == 0 { isFresh = false }
            }
        }
        var next =
            restart
            ?? Restart(last: counter, count: 0, at: now, tags: Array(repeating: 0, count: Int(Self.beginning)))
        if next.count > 0 {
            let isRecent = now.subtractingSaturated(next.at) <= Self.pause
            if counter == next.last { return false }
            if counter > next.last, counter - next.last > Self.beginning, isRecent { return false }
            if counter < next.last || counter - next.last > Self.beginning {
                next = Restart(last: counter, count: 0, at: now, tags: Array(repeating: 0, count: Int(Self.beginning)))
            }
        }
        (next.last, next.at) = (counter, now)
        next.count += 1
        if isFresh { next.fresh += 1 }
        if next.tags.indices.contains(Int(counter)) { next.tags[Int(counter)] = tag.value }
        restart = next
        return next.fresh >= Self.proof
    }

    /// A new life has begun, with the series of packets that went back.
    mutating func begin(after last: UInt32) {
        let size = Int(Self.beginning)
        if count < Self.maximum {
            if tags.count < size * count { tags += Array(repeating: 0, count: size * count - tags.count) }
            tags += restart?.tags ?? Array(repeating: 0, count: size)
        }
        top = max(top ?? 0, last)
        count += 1
        restart = nil
    }
}
