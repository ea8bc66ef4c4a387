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

    /// Quantities that came in one packet alone, as many as are remembered.
    static let maximumDoubts = 16
    /// Entities that were dropped, as many as are told to be gone.
    static let maximumDropped = 16

    /// The entities that Home Assistant is told of.
    private(set) var entities: Set<EntityKey> = []
    /// Entities that one packet named and no other, with the number of that packet's row. Packets on the air are damaged now and
    /// then, and a damaged one may name any quantity: a second packet has to name the same.
    private(set) var doubts: [EntityKey: Int64] = [:]
    /// Entities that an operator has dropped and no packet has named again. Home Assistant is told that these are gone.
    private(set) var dropped: Set<EntityKey> = []
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
        if parts.count > 2 {
            for doubt in parts[2].split(separator: ",").prefix(Self.maximumDoubts) {
                let halves = doubt.split(separator: ":")
                guard let key = halves.first.flatMap({ EntityKey($0) }), let row = halves.last.flatMap({ Int64($0) })
                else { continue }
                doubts[key] = row
            }
        }
        if parts.count > 3 {
            let keys = parts[3].split(separator: ",").compactMap { EntityKey($0) }
            dropped = Set(keys.prefix(Self.maximumDropped)).subtracting(entities)
        }
    }

    /// `battery,temperature;60`, and `;tvoc:4711;co2` behind it where `tvoc` was in one packet and `co2` was dropped.
    var text: String {
        let known = entities.sorted().map(\.text).joined(separator: ",") + ";\(interval)"
        guard !doubts.isEmpty || !dropped.isEmpty else { return known }
        let doubtful = doubts.sorted { $0.key < $1.key }.map { "\($0.key.text):\($0.value)" }.joined(separator: ",")
        guard !dropped.isEmpty else { return "\(known);\(doubtful)" }
        return "\(known);\(doubtful);" + dropped.sorted().map(\.text).joined(separator: ",")
    }

    /// The news that a row has brought.
    struct News: Equatable, Sendable {
        /// Something is to be remembered.
        var isToKeep = false
        /// Something is to be told of.
        var isToTell = false
    }

    /// Takes what a row says. The same row again says nothing new.
    ///
    /// - Parameters:
    ///   - isDoubtful: It was on the air without a link: a quantity that it is the first to name waits for a second row.
    ///   - uptime: Of a row that is delivered as it comes; nil for others, whose gaps say nothing of the interval.
    mutating func learn(_ fields: [Field], of row: Int64, isDoubtful: Bool, at uptime: Int64?) -> News {
        var news = News()
        for field in fields where field.quantity.homeAssistantPlatform != nil {
            let key = EntityKey(field)
            guard !entities.contains(key), entities.count < Self.maximumEntities else { continue }
            if isDoubtful, doubts[key].map({ $0 == row }) ?? true {
                if doubts[key] == nil {
                    doubt(key, of: row)
                    news.isToKeep = true
                }
                continue
            }
            take(key)
            (news.isToKeep, news.isToTell) = (true, true)
        }
        if let uptime, learnInterval(uptime) { (news.isToKeep, news.isToTell) = (true, !entities.isEmpty) }
        return news
    }

    private mutating func doubt(_ key: EntityKey, of row: Int64) {
        // Packets of somebody who names all quantities do not cost those of the sensor their turn: the oldest goes.
        if doubts.count >= Self.maximumDoubts, let oldest = doubts.min(by: { $0.value < $1.value }) {
            doubts[oldest.key] = nil
        }
        doubts[key] = row
    }

    private mutating func take(_ key: EntityKey) {
        entities.insert(key)
        doubts[key] = nil
        dropped.remove(key)
    }

    /// An operator does not want the entity. It comes again as a new one does.
    ///
    /// - Returns: False where there is none.
    mutating func drop(_ key: EntityKey) -> Bool {
        doubts[key] = nil
        guard entities.remove(key) != nil else { return false }
        if dropped.count >= Self.maximumDropped { dropped.removeFirst() }
        dropped.insert(key)
        return true
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
        for key in earlier.entities.sorted() where entities.count < Self.maximumEntities && !dropped.contains(key) {
            take(key)
        }
        for (key, row) in earlier.doubts.sorted(by: { $0.key < $1.key }) where !entities.contains(key) {
            if let own = doubts[key], own != row { take(key) } else { doubt(key, of: row) }
        }
        for key in earlier.dropped where dropped.count < Self.maximumDropped && !entities.contains(key) {
            dropped.insert(key)
        }
        interval = max(interval, earlier.interval)
    }
}
