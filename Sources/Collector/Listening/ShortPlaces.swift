// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Places in the cycle of an 8-bit counter, for a sensor and for recordings of the sensor.
///
/// A recording of an earlier cycle can continue from the sensor's place, like the sensor, and would lead a single place away from the
/// sensor. So the gateway follows several places. A packet belongs to the nearest place before the packet. A jump ahead leaves a place
/// behind. A place without packets is given up. Packets without a place are refused. A long run of refused packets is as likely the
/// sensor's as the others, and gets a place.
struct ShortPlaces: Equatable, Sendable {
    /// Largest step to the next packet.
    static let window: UInt32 = 32
    /// A place is given up after so many packets at other places, …
    static let proof = 8
    /// …and so many milliseconds. A run of refused packets gets a place after the same number and time.
    static let time: Int64 = 60_000
    /// Places beside the place of the newest packet.
    private static let capacity = 15
    /// Counted runs of refused packets.
    private static let strayCapacity = 32

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

    /// True for the counter of the newest packet at another place.
    func has(_ value: UInt32) -> Bool { others.contains { $0.place == value } }

    /// Takes an unseen packet; false: no place is near enough.
    ///
    /// - Parameters:
    ///   - last: The counter of the newest packet.
    ///   - isQuiet: No new packet has come for long: any unseen packet may be the next.
    mutating func takes(_ value: UInt32, after last: UInt32, isQuiet: Bool, at now: Int64) -> Bool {
        let step = Self.step(from: last, to: value)
        let places = others.indices.filter { Self.isNext(Self.step(from: others[$0].place, to: value)) }
        let nearest = places.min {
            Self.step(from: others[$0].place, to: value) < Self.step(from: others[$1].place, to: value)
        }
        let otherStep = nearest.map { Self.step(from: others[$0].place, to: value) }
        var leaves = true
        if let nearest, let otherStep, !Self.isNext(step) || otherStep < step {
            if otherStep == 1 { others.remove(at: nearest) }
        } else if Self.isNext(step) {
            leaves = step > 1
        } else {
            guard isQuiet && step > 0 || isSettled(value, at: now) else { return false }
        }
        age(at: now)
        if leaves { leave(last, at: now) }
        return true
    }

    private static func step(from place: UInt32, to value: UInt32) -> UInt32 { (value &- place) & 0xFF }
    private static func isNext(_ step: UInt32) -> Bool { (1...window).contains(step) }

    /// The newest packet's place stays behind.
    private mutating func leave(_ place: UInt32, at now: Int64) {
        others.removeAll { $0.place == place }
        if others.count == Self.capacity { others.removeFirst() }
        others.append(Run(place: place, at: now, count: 0))
    }

    private mutating func age(at now: Int64) {
        for index in others.indices { others[index].count += 1 }
        others.removeAll { $0.count >= Self.proof && now.subtractingSaturated($0.at) >= Self.time }
    }

    /// Counts a packet without a place; true: the run of such packets is long enough.
    private mutating func isSettled(_ value: UInt32, at now: Int64) -> Bool {
        // A sensor repeats each packet.
        guard !strays.contains(where: { $0.place == value }) else { return false }
        guard let index = strays.firstIndex(where: { Self.isNext(Self.step(from: $0.place, to: value)) }) else {
            if strays.count == Self.strayCapacity,
                let shortest = strays.indices.min(by: { strays[$0].count < strays[$1].count })
            {
                strays.remove(at: shortest)
            }
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
