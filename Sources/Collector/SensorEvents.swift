// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The newest events of one sensor, oldest first.
///
/// Bounded, whatever the sensor does. What repeats is counted in one place, so that a sensor whose link comes and goes every
/// second does not push out what happened before.
package struct SensorEvents: Equatable, Sendable {
    /// Events of one sensor, while there are few sensors.
    package static let capacity = 64
    /// Events that each sensor may have, however many sensors there are.
    static let least = 8
    /// Events of all sensors together, as far as that leaves each its ``least``.
    static let total = 4096
    /// Unicode scalars of a detail.
    static let detailLength = 160
    /// A repetition within this many milliseconds is counted at once; a later one is an event of its own while there is room.
    static let repeatTime: Int64 = 600_000
    /// How many events back repetitions are looked for: those of two lives of a link, from connecting to its end.
    static let lookBack = 16

    package private(set) var all: [SensorEvent] = []
    package private(set) var ends = LinkEndTally()

    package init() {}

    /// What each of so many sensors may have.
    package static func limit(sensors: Int) -> Int { max(least, min(capacity, total / max(1, sensors))) }

    /// The newest event of a kind.
    package func last(_ kind: SensorEvent.Kind) -> SensorEvent? { all.last { $0.kind == kind } }

    package mutating func record(_ event: SensorEvent, limit: Int = capacity) {
        var event = event
        if let detail = event.detail, detail.unicodeScalars.count > Self.detailLength {
            var cut = String.UnicodeScalarView()
            cut.append(contentsOf: detail.unicodeScalars.prefix(Self.detailLength - 1))
            event.detail = String(cut) + "…"
        }
        if event.kind == .linkEnded { ends.count(event.reason, at: event.uptimeMs) }
        let former = all.indices.suffix(Self.lookBack).filter { place in
            event.isRepetition(of: all[place])
                && event.uptimeMs.subtractingSaturated(all[place].uptimeMs) <= Self.repeatTime
        }
        // What happens for the second time stands where it happened: one reconnection reads as a story.
        if let last = former.last, former.count > 1 || all[last].count > 1 { event.absorb(all.remove(at: last)) }
        // The collector may hear of a step after it has seen the effect.
        let place = all.lastIndex { $0.uptimeMs <= event.uptimeMs }.map { $0 + 1 } ?? 0
        all.insert(event, at: place)
        while all.count > max(1, limit) { makeRoom() }
    }

    /// The oldest event that a later one repeats is counted there; where there is none, the oldest goes.
    private mutating func makeRoom() {
        for place in all.indices {
            let later = all.indices[(place + 1)...]
            guard let other = later.first(where: { all[$0].isRepetition(of: all[place]) }) else { continue }
            all[other].absorb(all[place])
            all.remove(at: place)
            return
        }
        all.removeFirst()
    }
}
