// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT

/// Decides when the gateway listens to its own statistics, by which it hears another gateway of its name; a value.
///
/// A broker's access list may forbid the topic of claims. Then no claim comes back, not even the gateway's own claim. In
/// that case the gateway subscribes to the topic of its statistics: each process writes its nonce into them.
struct NamesakeWatch {
    /// The gateway's own claim comes back within this time, or not at all.
    static let patience: Duration = .seconds(15)
    /// Some brokers hang up on a client that subscribes to a forbidden topic, within this time.
    static let hangUpTime: Duration = .seconds(10)
    /// Number of such ends after which the gateway does not subscribe again.
    static let hangUpLimit = 2

    /// When the gateway subscribes; nil: not on this connection, or not again.
    private(set) var due: MonotonicTime?
    private var since: MonotonicTime?
    private var hangUps = 0

    /// A connection begins, on which the claim is said.
    mutating func begin(at now: MonotonicTime) {
        (due, since) = (hangUps < Self.hangUpLimit ? now + Self.patience : nil, nil)
    }

    /// The gateway's own claim has come back, so other gateways' claims arrive, too.
    mutating func heardOwnClaim() { due = nil }

    /// Whether the gateway subscribes now.
    mutating func takeDue(at now: MonotonicTime) -> Bool {
        guard let due, now >= due else { return false }
        (self.due, since) = (nil, now)
        return true
    }

    /// The connection has ended.
    mutating func end(at now: MonotonicTime) {
        if let since, now - since < Self.hangUpTime { hangUps += 1 }
        (due, since) = (nil, nil)
    }
}

extension PublisherMachine {
    /// Subscribes to the gateway's statistics if its claim does not come back.
    mutating func watchNamesake(at now: MonotonicTime) {
        guard gateway.takeWatch(at: now), let filter = try? TopicFilter(topics.statistics) else { return }
        want(.subscribe([MQTTSubscription(filter, quality: .atMostOnce)]))
    }
}
