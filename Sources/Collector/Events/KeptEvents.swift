// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// The newest events of a sensor, as the text that outlives the process: a fact of the journal.
struct KeptEvents: Codable, Equatable {
    /// Before the sensor's id in the key of the fact.
    static let prefix = "events:"
    /// Limit of kept events of a sensor.
    static let capacity = 24
    /// Limit of sensors with kept events.
    static let sensors = 1_024
    /// Milliseconds after the newest event until a text is forgotten: 30 days.
    static let memory: Int64 = 30 * 86_400_000
    /// Limit of octets of a text that is read.
    private static let longest = 64 << 10

    /// The machine's start that the uptimes belong to.
    private var boot: String
    private var events: [SensorEvent]

    /// - Parameters:
    ///   - limit: The limit of events.
    ///   - boot: The present start of the machine.
    ///   - offset: Unix time minus uptime in milliseconds; nil while the time is unknown.
    init(_ events: SensorEvents, limit: Int, boot: String, offset: Int64?) {
        self.boot = boot
        self.events = Array(events.story.suffix(min(limit, Self.capacity)))
        guard let offset else { return }
        for index in self.events.indices { self.events[index].date(with: offset) }
    }

    /// Nil for a text that no gateway has written.
    init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.longest,
            let kept = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
        else { return nil }
        self = kept
    }

    /// Nil if there are no events.
    var text: String? {
        guard !events.isEmpty, let data = try? JSONEncoder().encode(self) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// The events as a later run shows them, oldest first.
    ///
    /// - Parameter boot: The present start of the machine.
    func former(in boot: String) -> [SensorEvent] {
        let newest = events.suffix(Self.capacity)
        guard boot != self.boot else { return Array(newest) }
        return newest.map { event in
            var event = event
            event.earlierBoot = true
            return event
        }
    }

    /// The time of the newest event in milliseconds since 1970; nil if unknown.
    var newest: Int64? { events.compactMap(\.unixMs).max() }

    /// The keys of texts that are forgotten: old ones, and the oldest of too many.
    ///
    /// - Parameters:
    ///   - kept: All texts, by the sensors' ids.
    ///   - unix: The present time in milliseconds since 1970; nil while the time is unknown.
    static func forgotten(_ kept: [String: String], at unix: Int64?) -> [String] {
        let ages = kept.mapValues { Self($0)?.newest }
        let old = unix.map { now in
            ages.filter { now.subtractingSaturated(($0.value ?? nil) ?? now) > memory }.keys
        }
        let rest = ages.filter { !(old?.contains($0.key) ?? false) }
            .sorted { (($0.value ?? .min), $0.key) > (($1.value ?? .min), $1.key) }
        return (old.map(Array.init) ?? []).sorted() + rest.dropFirst(sensors).map(\.key)
    }
}
