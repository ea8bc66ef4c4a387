// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The places at which packets with an 8-bit counter may go on.
///
/// A recording of an earlier cycle can go on at the sensor's place as well as the sensor, and would lead a single place away from the
/// sensor. So several places are followed: a packet belongs to the nearest place before it, and a packet that jumps ahead leaves the place
/// behind. A place at which nothing goes on is given up. Packets that go on at no place are refused. If they go on one after the other for
/// long enough, they are the sensor's as likely as the others, and get a place.
struct ShortPlaces: Equatable, Sendable {
    /// Largest step to the next packet.
    static let window: UInt32 = 32
    /// A place is given up after this many packets at other places, …
    static let proof = 8
    /// …and this many milliseconds. Refused packets that go on for as long get a place.
    static let time: Int64 = 60_000
    /// Places beside the newest packet's.
    private static let capacity = 7
    /// Runs of refused packets that are counted.
    private static let strayCapacity = 4

    /// A place, or a run of refused packets.
    private struct Run: Equatable {
        var place: UInt32
        /// The time of the place's last packet, or of a run's first packet.
        let at: Int64
        /// The number of packets elsewhere since then, or in the run.
        var count: Int
    }

    private var others: [Run] = []
    private var strays: [Run] = []

    /// Whether the newest packet of a place besides the newest one has this counter.
    func has(_ value: UInt32) -> Bool { others.contains { $0.place == value } }

    /// Takes a packet that was not heard before. True if it goes on at a place.
    ///
    /// - Parameters:
    ///   - last: The counter of the newest packet.
    ///   - isQuiet: No new packet has come for long, so that any unseen packet may be the next.
    mutating func takes(_ value: UInt32, after last: UInt32, isQuiet: Bool, at now: Int64) -> Bool {
        let step = Self.step(from: last, to: value)
        let places = others.indices.filter { Self.isNext(Self.step(from: others[$0].place, to: value)) }
        let nearest = places.min {
            Self.step(from: others[$0].place, to: value) < Self.step(from: others[$1].place, to: value)
        }
        let otherStep = nearest.map { Self.step(from: others[$0].place, to: value) }
        if let nearest, let otherStep, !Self.isNext(step) || otherStep < step {
            if otherStep == 1 { others.remove(at: nearest) }
            leave(last, at: now)
        } else if Self.isNext(step) {
            if step > 1 { leave(last, at: now) }
        } else {
            guard isQuiet && step > 0 || isSettled(value, at: now) else { return false }
            leave(last, at: now)
        }
        age(at: now)
        return true
    }

    private static func step(from place: UInt32, to value: UInt32) -> UInt32 { (value &- place) & 0xFF }
    private static func isNext(_ step: UInt32) -> Bool { (1...window).contains(step) }

    /// The newest packet's place stays behind.
    private mutating func leave(_ place: UInt32, at now: Int64) {
        others.removeAll { $0.place == place }
        if others.count == Self.capacity { others.removeFirst() }
        others.append(Run(place: place, at: now, count: -1))
    }

    private mutating func age(at now: Int64) {
        for index in others.indices { others[index].count += 1 }
        others.removeAll { $0.count >= Self.proof && now.subtractingSaturated($0.at) >= Self.time }
    }

    /// Counts a packet at no place. True if enough of them have gone on one after the other.
    private mutating func isSettled(_ value: UInt32, at now: Int64) -> Bool {
        // A sensor repeats each packet.
        guard !strays.contains(where: { $0.place == value }) else { return false }
        guard let index = strays.firstIndex(where: { Self.isNext(Self.step(from: $0.place, to: value)) }) else {
            if strays.count == Self.strayCapacity { strays.removeFirst() }
            strays.append(Run(place: value, at: now, count: 1))
            return false
        }
        var stray = strays.remove(at: index)
        (stray.place, stray.count) = (value, stray.count + 1)
        guard stray.count >= Self.proof, now.subtractingSaturated(stray.at) >= Self.time else {
            strays.append(stray)
            return false
        }
        return true
    }
}
