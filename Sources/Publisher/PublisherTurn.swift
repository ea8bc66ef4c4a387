// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging

/// What the publisher's machine wants done now, and whether there is more to send after that; a value.
struct PublisherTurn {
    /// Effects whose memory is kept from one turn to the next.
    private static let keptEffects = 512

    private var effects: [PublisherEffect] = []
    /// There is more to send in this turn.
    private(set) var hasMore = false
    /// By the words of the line: what one kind of message fills does not hide another.
    private var heardLimits: [String: NoticeLimit] = [:]
    /// When a message came last.
    private var heardAt = MonotonicTime.zero

    mutating func begin() { hasMore = false }

    mutating func goesOn(_ hasMore: Bool = true) { self.hasMore = hasMore }

    mutating func want(_ effect: PublisherEffect) { effects.append(effect) }

    mutating func take() -> [PublisherEffect] {
        defer { effects = [] }
        return effects
    }

    /// The same, into the memory of effects that are done: a turn has a hundred of them, and each has some hundred octets.
    mutating func take(inPlaceOf done: inout [PublisherEffect]) {
        done.removeAll(keepingCapacity: done.capacity <= Self.keptEffects)
        swap(&effects, &done)
    }

    // MARK: - What others publish

    mutating func heard(at now: MonotonicTime) { heardAt = now }

    /// A line of the log about a message that somebody has published, as often as they like: so many a minute are said.
    mutating func logHeard(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) {
        guard let unsaid = heardLimits[message, default: NoticeLimit()].admit(at: heardAt) else { return }
        want(.log(level, message, unsaid > 0 ? metadata.merging(["mqtt.unsaid": "\(unsaid)"]) { $1 } : metadata))
    }
}
