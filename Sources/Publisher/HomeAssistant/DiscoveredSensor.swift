// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Facts learned from a sensor's messages; kept in the journal, so a restart need not wait for them.
struct DiscoveredSensor: Equatable, Sendable {
    /// A sensor has no more entities than this, because forged packets in its name must not fill Home Assistant.
    static let maximumEntities = 64
    /// Seconds: a gap counts as the next greater of these steps, so a slightly longer gap is no news.
    private static let intervals = [60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400]
    /// Number of gaps before the interval is announced.
    private static let sample = 3

    /// Limit of dropped entities that are announced as gone.
    static let maximumDropped = 16

    /// The announced entities.
    private(set) var entities: Set<EntityKey> = []
    /// Entities that only a single packet has named; packets have the numbers of their rows.
    private(set) var doubts = QuantityDoubts()
    /// Entities that an operator has dropped and no packet has named again. Home Assistant hears that these entities
    /// are gone.
    private(set) var dropped: Set<EntityKey> = []
    /// Seconds: the longest gap between two messages, as a step of ``intervals``; 0 while unknown.
    private(set) var interval = 0
    /// Milliseconds since boot of the newest message; nil after an absence, because an absence is no interval.
    private var last: Int64?
    private var gaps = 0
    private var longestGap: Int64 = 0

    init() {}

    /// Reads ``text``.
    init(_ text: String) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let keys = (parts.first ?? "").split(separator: ",").compactMap { EntityKey($0) }
        entities = Set(keys.prefix(Self.maximumEntities))
        if parts.count > 1, let interval = Int(parts[1]), Self.intervals.contains(interval) {
            self.interval = interval
            gaps = Self.sample
        }
        if parts.count > 2 {
            for doubt in parts[2].split(separator: ",").prefix(QuantityDoubts.limit) {
                let parts = doubt.split(separator: ":")
                guard parts.count > 1, let key = EntityKey(parts[0]), let row = Int64(parts[1]) else { continue }
                doubts.keep(.init(row, unixSeconds: parts.count > 2 ? Int64(parts[2]) : nil), of: key.text)
            }
        }
        if parts.count > 3 {
            let keys = parts[3].split(separator: ",").compactMap { EntityKey($0) }
            dropped = Set(keys.prefix(Self.maximumDropped)).subtracting(entities)
        }
    }

    /// `battery,temperature;60`. With `;tvoc:4711:1770000000;co2` at its end, `tvoc` was in a single packet, of row
    /// 4711, at this time, and `co2` was dropped.
    var text: String {
        let known = entities.sorted().map(\.text).joined(separator: ",") + ";\(interval)"
        guard !doubts.doubts.isEmpty || !dropped.isEmpty else { return known }
        let doubtful = doubts.doubts.sorted { $0.key < $1.key }.map { key, doubt in
            "\(key):\(doubt.number)" + (doubt.unixSeconds.map { ":\($0)" } ?? "")
        }.joined(separator: ",")
        guard !dropped.isEmpty else { return "\(known);\(doubtful)" }
        return "\(known);\(doubtful);" + dropped.sorted().map(\.text).joined(separator: ",")
    }

    /// The news from a row.
    struct News: Equatable, Sendable {
        /// The journal has to keep a fact.
        var isToKeep = false
        /// Home Assistant has to get a fact.
        var isToTell = false
    }

    /// Learns from a row. A repeated row brings no news.
    ///
    /// - Parameters:
    ///   - isDoubtful: The row came without a link, and without the proof of a key. Most of its new quantities wait for
    ///     a second row.
    ///   - uptime: Of a row that is delivered as it comes; nil for other rows, because their gaps are no intervals.
    mutating func learn(
        _ fields: [Field], of row: QuantityDoubts.Packet, isDoubtful: @autoclosure () -> Bool, at uptime: Int64?
    ) -> News {
        var news = News()
        news.isToKeep = doubts.pass(row)
        for field in fields where field.quantity.homeAssistantPlatform != nil {
            let key = EntityKey(field)
            guard !entities.contains(key), entities.count < Self.maximumEntities else { continue }
            // The row of a dropped quantity may have been on its way, and proves nothing by itself.
            let needsAnother = dropped.contains(key) || field.quantity.needsSecondPacket && isDoubtful()
            if needsAnother, !doubts.confirms(key.text, row) {
                news.isToKeep = news.isToKeep || doubts.doubts[key.text]?.number == row.number
                continue
            }
            add(key)
            (news.isToKeep, news.isToTell) = (true, true)
        }
        if let uptime, learnInterval(uptime) { (news.isToKeep, news.isToTell) = (true, !entities.isEmpty) }
        return news
    }

    private mutating func add(_ key: EntityKey) {
        entities.insert(key)
        doubts.remove(key.text)
        dropped.remove(key)
    }

    /// An operator does not want the entity. It comes back after two further rows with its quantity.
    ///
    /// - Returns: False if there is no such entity.
    mutating func drop(_ key: EntityKey) -> Bool {
        doubts.remove(key.text)
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

    /// The sensor is away: the time until its return is no interval.
    mutating func left() { last = nil }

    /// Adds earlier facts.
    mutating func merge(_ earlier: DiscoveredSensor) {
        for key in earlier.entities.sorted() where entities.count < Self.maximumEntities && !dropped.contains(key) {
            add(key)
        }
        for (name, doubt) in earlier.doubts.doubts.sorted(by: { $0.key < $1.key }) {
            guard let key = EntityKey(name), !entities.contains(key) else { continue }
            if let own = doubts.doubts[name] {
                if own.number != doubt.number { add(key) }
            } else {
                doubts.keep(doubt, of: name)
            }
        }
        for key in earlier.dropped where dropped.count < Self.maximumDropped && !entities.contains(key) {
            dropped.insert(key)
        }
        interval = max(interval, earlier.interval)
    }
}
