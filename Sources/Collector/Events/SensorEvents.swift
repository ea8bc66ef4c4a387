// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The newest events of a sensor, oldest first.
///
/// Bounded for any behaviour of the sensor. Repeated events are counted in a single place. So a sensor whose link comes
/// and goes every second does not push out earlier events.
package struct SensorEvents: Equatable, Sendable {
    /// Limit of events for each sensor, while there are few sensors.
    package static let capacity = 64
    /// Each sensor may have this many events, for any number of sensors.
    static let least = 8
    /// Limit of events of all sensors together, unless a sensor would get fewer than ``least``.
    static let total = 4096
    /// Unicode scalars of a detail.
    static let detailLength = 160
    /// A repetition within this many milliseconds is counted at once. A later repetition is an event of its own while
    /// there is room.
    static let repeatTime: Int64 = 600_000
    /// How many events back repetitions are looked for: the events of two lives of a link, from connecting to its end.
    static let lookBack = 16

    /// The events of this run.
    package private(set) var all: [SensorEvent] = []
    /// The newest events of earlier runs, oldest first. They make room for the events of this run.
    package private(set) var former: [SensorEvent] = []
    package private(set) var ends = LinkEndTally()

    package init() {}

    /// The sensor is back: its events from before it was let go count on.
    mutating func takeUp(_ events: SensorEvents) { self = events }

    /// The limit for each sensor.
    package static func limit(sensors: Int) -> Int { max(least, min(capacity, total / max(1, sensors))) }

    /// The events of this run and of earlier runs, oldest first.
    package var story: [SensorEvent] { former + all }

    /// The newest event of a kind, of this run.
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
        // A second occurrence keeps its place, so a single reconnection reads as a story.
        if let last = former.last, former.count > 1 || all[last].count > 1 { event.absorb(all.remove(at: last)) }
        // The collector may hear of a step after its effect.
        let place = all.lastIndex { $0.uptimeMs <= event.uptimeMs }.map { $0 + 1 } ?? 0
        all.insert(event, at: place)
        while self.former.count + all.count > max(1, limit) {
            if self.former.isEmpty { makeRoom() } else { self.former.removeFirst() }
        }
    }

    /// Takes the events of earlier runs, oldest first, as far as there is room. Later calls change nothing.
    mutating func resume(_ events: [SensorEvent], limit: Int = capacity) {
        guard former.isEmpty else { return }
        former = Array(events.suffix(max(0, limit - all.count)))
    }

    /// The oldest event with a later repetition is counted there. Without a repetition, the oldest event goes.
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
