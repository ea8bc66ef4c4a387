// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// What has been learned of a sensor from what it sends; kept in the journal, so that a restart need not wait for it.
struct DiscoveredSensor: Equatable, Sendable {
    /// A sensor has no more entities than this: whoever sends packets in its name must not fill Home Assistant.
    static let maximumEntities = 64
    /// Seconds: a gap counts as the next of these, so that one that is a little longer is no news.
    private static let intervals = [60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400]
    /// Gaps that have to be seen before something is said of the interval.
    private static let sample = 3

    private(set) var entities: Set<EntityKey> = []
    /// Seconds: no gap between two messages was longer, as far as ``intervals`` tell it; 0 while that is not known.
    private(set) var interval = 0
    /// Milliseconds since boot of the newest message; nil after an absence, whose length says nothing of the interval.
    private var last: Int64?
    private var gaps = 0
    private var longestGap: Int64 = 0

    init() {}

    /// What ``text`` has said.
    init(_ text: String) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let keys = (parts.first ?? "").split(separator: ",").compactMap { EntityKey($0) }
        entities = Set(keys.prefix(Self.maximumEntities))
        if parts.count > 1, let interval = Int(parts[1]), Self.intervals.contains(interval) {
            self.interval = interval
            gaps = Self.sample
        }
    }

    /// `battery,temperature;60`.
    var text: String { entities.sorted().map(\.text).joined(separator: ",") + ";\(interval)" }

    /// Takes what a message says.
    ///
    /// - Returns: True when something new was learned.
    mutating func learn(_ fields: [Field], at uptime: Int64) -> Bool {
        var isNews = false
        for field in fields where field.quantity.homeAssistantPlatform != nil {
            guard entities.count < Self.maximumEntities else { break }
            if entities.insert(EntityKey(field)).inserted { isNews = true }
        }
        return learnInterval(uptime) || isNews
    }

    private mutating func learnInterval(_ uptime: Int64) -> Bool {
        defer { last = uptime }
        guard let last, uptime > last else { return false }
        gaps = min(gaps + 1, Self.sample)
        longestGap = max(longestGap, uptime.subtractingSaturated(last))
        guard gaps == Self.sample else { return false }
        let step = Self.intervals.first { Int64($0) * 1_000 >= longestGap } ?? 86_400
        guard step > interval else { return false }
        interval = step
        return true
    }

    /// The sensor is away: the time until it comes back is no interval.
    mutating func left() { last = nil }

    /// Keeps what was known before, too.
    mutating func merge(_ earlier: DiscoveredSensor) {
        for key in earlier.entities.sorted() where entities.count < Self.maximumEntities { entities.insert(key) }
        interval = max(interval, earlier.interval)
    }
}
