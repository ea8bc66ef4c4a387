// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Readings

/// The characteristics with a sensor's values, on the present link.
///
/// The characteristics of the last set-up stay until the next set-up is done, because values may still be on their way
/// when services or the rule change.
struct FeedTable {
    /// A machine's token is the index.
    private(set) var current: [CharacteristicFeed] = []
    /// The characteristics of the last set-up, until the present set-up is done.
    private(set) var former: [CharacteristicFeed] = []

    /// Set-ups in a row in which the sensor refused the subscription for the present, by place and instance.
    private var refusals: [SensorRule.Feed: Int] = [:]

    var all: [CharacteristicFeed] { current + former }
    /// When the newest value came, in milliseconds since boot.
    var lastValue: Int64? { all.compactMap(\.lastAt).max() }
    /// No question to them is open.
    var areAnswered: Bool { current.allSatisfy { $0.reads.pending == 0 } }

    subscript(token: Int) -> CharacteristicFeed? { current.indices.contains(token) ? current[token] : nil }

    mutating func add(_ feed: CharacteristicFeed) { current.append(feed) }

    mutating func setUpBegins() {
        former += current
        current = []
    }

    /// Counts a temporary refusal of a subscription. True if the same refusal has come so often that it will come again.
    ///
    /// - Parameters:
    ///   - place: The characteristic's name in a rule.
    ///   - instance: Tells characteristics of one name apart: each of them may refuse once a set-up.
    mutating func refused(_ place: SensorRule.Feed?, instance: Int) -> Bool {
        guard let key = Self.key(place, instance) else { return false }
        let count = min((refusals[key] ?? 0) + 1, LinkEndHabit.limit)
        refusals[key] = count
        return count == LinkEndHabit.limit
    }

    mutating func subscribed(to place: SensorRule.Feed?, instance: Int) {
        if let key = Self.key(place, instance) { refusals[key] = nil }
    }

    private static func key(_ place: SensorRule.Feed?, _ instance: Int) -> SensorRule.Feed? {
        guard var place else { return nil }
        place.instance = instance
        return place
    }

    /// The link is gone: no answer comes any more.
    func linkEnded() { for feed in all { feed.linkEnded() } }

    /// Forgets the characteristics of the set-up before, which hand on when their newest values came. Returns them.
    mutating func dropFormer() -> [CharacteristicFeed] {
        defer { former = [] }
        for feed in former {
            guard let last = feed.lastAt else { continue }
            current.first { $0.uuid == feed.uuid && $0.lastAt == nil }?.valueCame(at: last)
        }
        return former
    }

    /// All collected characteristics have had a value since `began`, in milliseconds since boot.
    func areServed(since began: Int64) -> Bool {
        current.allSatisfy { feed in
            guard feed.isCollected else { return true }
            return feed.reads.pending == 0 && feed.lastAt.map { $0 >= began } ?? false
        }
    }
}
