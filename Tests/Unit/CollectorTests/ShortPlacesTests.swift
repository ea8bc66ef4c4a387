// SPDX-License-Identifier: Apache-2.0

import Readings
import Testing

@testable import Collector

/// Recordings of earlier cycles of an 8-bit counter, beside a sensor that goes on speaking.
struct ShortPlacesTests {
    /// A sensor that has sent `count` packets, one each two seconds, and then goes on beside an attacker.
    private struct Scene {
        private var replay = ReplayGuard()
        private(set) var now: Int64 = 0
        private var next: UInt32 = 0
        /// The sensor's packets that were not taken, by their places.
        private(set) var refused: [UInt32] = []

        init(_ count: UInt32) {
            for _ in 0..<count { speak() }
        }

        /// The sensor's next packet, which it sends three times.
        mutating func speak() {
            let first = judge(next)
            if first != .new { refused.append(next) }
            for _ in 0..<2 {
                let again = judge(next)
                #expect(again == (first == .new ? .current : .played))
            }
            (next, now) = (next + 1, now + 2_000)
        }

        /// The attacker plays the packet of this place.
        mutating func play(_ place: UInt32) -> ReplayGuard.Verdict { judge(place) }

        private mutating func judge(_ place: UInt32) -> ReplayGuard.Verdict {
            replay.judge(PacketNumber(place & 0xFF, bits: 8), PacketTag(place &+ 1), at: now)
        }
    }

    @Test func `a recording that begins at the very next number costs the sensor a minute at most`() {
        var scene = Scene(600)
        // Sixty packets of the cycle before the last, all at once: each is the next one by its number.
        for place in UInt32(88)..<148 { #expect(scene.play(place) == .new) }
        for _ in 0..<300 { scene.speak() }
        #expect((8...31).contains(scene.refused.count), "\(scene.refused)")
        #expect(scene.refused.allSatisfy { $0 < 632 }, "\(scene.refused)")
    }

    @Test func `a recording that goes on beside the sensor costs no more, though it is taken`() {
        var scene = Scene(600)
        var taken = 0
        for place in UInt32(88)..<388 {
            // The recording has a lead of 20 packets.
            if scene.play(place + 20) == .new { taken += 1 }
            scene.speak()
        }
        #expect(scene.refused.isEmpty, "\(scene.refused)")
        #expect(taken > 100)
    }

    @Test func `two recordings of one number, played in turn, are taken once each`() {
        var scene = Scene(600)
        var taken = 0
        for _ in 0..<60 {
            for _ in 0..<5 {
                // Eight packets of the last cycle, and of the cycle before.
                for first in [UInt32(344), 88] {
                    for place in first..<(first + 8) where scene.play(place) == .new { taken += 1 }
                }
            }
            scene.speak()
        }
        #expect(taken <= 16, "\(taken) of 4,800")
    }

    @Test func `a packet of the last cycle stays refused after an older one with its number`() {
        var scene = Scene(600)
        // From the cycle before, a little ahead of the sensor: both are taken, and the sensor's place stays.
        for place in [89, 119] as [UInt32] { #expect(scene.play(place) == .new) }
        #expect(scene.play(375) != .new)
        scene.speak()
        #expect(scene.refused.isEmpty)
    }

    @Test func `a packet moves the nearest place, and leaves the others`() {
        var places = ShortPlaces()
        // The sensor is at 87; a recording begins at 108, and both go on.
        let taken = [(108, 87), (88, 108), (109, 88)].map { value, last in
            places.takes(value, after: last, isQuiet: false, at: 0)
        }
        #expect(taken == [true, true, true])
        #expect(places.has(88) && !places.has(87) && !places.has(108))
    }

    @Test func `fifteen jumps leave the sensor its place, and the sixteenth does not`() {
        var places = ShortPlaces()
        for jump in UInt32(1)...16 {
            let isTaken = places.takes(10 + 2 * jump, after: 8 + 2 * jump, isQuiet: false, at: 0)
            #expect(isTaken && places.has(10) == (jump < 16), "\(jump)")
        }
    }

    @Test func `refused packets get a place when eight of them have gone on for a minute`() {
        for (count, pause, isTaken) in [(8, 9_000, true), (7, 30_000, false), (8, 8_000, false)]
            as [(UInt32, Int64, Bool)]
        {
            var places = ShortPlaces()
            let taken = (0..<count).map { step in
                places.takes(200 + step, after: 10, isQuiet: false, at: Int64(step) * pause)
            }
            #expect(taken.dropLast().allSatisfy { !$0 } && taken.last == isTaken, "\(count) \(pause)")
        }
    }

    @Test func `packets here and there lead no place away from the sensor`() {
        var scene = Scene(600)
        for place in UInt32(0)..<200 {
            // Recordings of many places in turn, of which some go on where the sensor is.
            _ = scene.play(place * 61 % 200)
            scene.speak()
        }
        #expect(scene.refused.isEmpty, "\(scene.refused)")
    }

    @Test func `a place at which nothing goes on is given up`() {
        var places = ShortPlaces()
        var taken = [places.takes(40, after: 10, isQuiet: false, at: 0)]
        #expect(places.has(10))
        for step in UInt32(1)...8 {
            taken.append(places.takes(40 + step, after: 39 + step, isQuiet: false, at: Int64(step) * 8_000))
        }
        #expect(taken.allSatisfy { $0 })
        #expect(!places.has(10))
        let isLate = places.takes(11, after: 48, isQuiet: false, at: 70_000)
        #expect(!isLate)
    }
}
