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

    /// Entities that were dropped, as many as are told to be gone.
    static let maximumDropped = 16

    /// The entities that Home Assistant is told of.
    private(set) var entities: Set<EntityKey> = []
    /// Entities that one packet named and no other; packets are numbered as their rows are.
    private(set) var doubts = QuantityDoubts()
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

    /// `battery,temperature;60`, and `;tvoc:4711:1770000000;co2` behind it where `tvoc` was in one packet, of row 4711, at that time,
    /// and `co2` was dropped.
    var text: String {
        let known = entities.sorted().map(\.text).joined(separator: ",") + ";\(interval)"
        guard !doubts.doubts.isEmpty || !dropped.isEmpty else { return known }
        let doubtful = doubts.doubts.sorted { $0.key < $1.key }.map { key, doubt in
            "\(key):\(doubt.number)" + (doubt.unixSeconds.map { ":\($0)" } ?? "")
        }.joined(separator: ",")
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
    ///   - isDoubtful: It was on the air without a link, and no key vouches for it: most quantities that it is the first to name wait
    ///     for a second row.
    ///   - uptime: Of a row that is delivered as it comes; nil for others, whose gaps say nothing of the interval.
    mutating func learn(
        _ fields: [Field], of row: QuantityDoubts.Packet, isDoubtful: Bool, at uptime: Int64?
    ) -> News {
        var news = News()
        news.isToKeep = doubts.pass(row)
        for field in fields where field.quantity.homeAssistantPlatform != nil {
            let key = EntityKey(field)
            guard !entities.contains(key), entities.count < Self.maximumEntities else { continue }
            if isDoubtful, field.quantity.needsSecondPacket, !doubts.confirms(key.text, row) {
                news.isToKeep = news.isToKeep || doubts.doubts[key.text]?.number == row.number
                continue
            }
            take(key)
            (news.isToKeep, news.isToTell) = (true, true)
        }
        if let uptime, learnInterval(uptime) { (news.isToKeep, news.isToTell) = (true, !entities.isEmpty) }
        return news
    }

    private mutating func take(_ key: EntityKey) {
        entities.insert(key)
        doubts.remove(key.text)
        dropped.remove(key)
    }

    /// An operator does not want the entity. It comes again as a new one does.
    ///
    /// - Returns: False where there is none.
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

    /// The sensor is away: the time until it comes back is no interval.
    mutating func left() { last = nil }

    /// Keeps what was known before, too.
    mutating func merge(_ earlier: DiscoveredSensor) {
        for key in earlier.entities.sorted() where entities.count < Self.maximumEntities && !dropped.contains(key) {
            take(key)
        }
        for (name, doubt) in earlier.doubts.doubts.sorted(by: { $0.key < $1.key }) {
            guard let key = EntityKey(name), !entities.contains(key) else { continue }
            if let own = doubts.doubts[name] {
                if own.number != doubt.number { take(key) }
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
