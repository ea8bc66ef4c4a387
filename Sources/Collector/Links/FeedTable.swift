// SPDX-License-Identifier: Apache-2.0

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

    /// The link is gone: no answer comes any more.
    func linkEnded() { for feed in all { feed.reads = ReadTally() } }

    /// Forgets the characteristics of the set-up before, which hand on when their newest values came. Returns them.
    mutating func dropFormer() -> [CharacteristicFeed] {
        defer { former = [] }
        for feed in former {
            guard let last = feed.lastAt else { continue }
            current.first { $0.uuid == feed.uuid && $0.lastAt == nil }?.lastAt = last
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
