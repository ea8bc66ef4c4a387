// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging

/// The present wishes of the publisher's machine, and whether further messages follow; a value.
struct PublisherTurn {
    /// Largest number of effects whose memory is kept between turns.
    private static let keptEffects = 512

    private var effects: [PublisherEffect] = []
    /// There are further messages for this turn.
    private(set) var hasMore = false
    /// By the text of the line, so that lines about one kind of message do not hide lines about another.
    private var heardLimits: [String: NoticeLimit] = [:]
    /// The time of the last message.
    private var heardAt = MonotonicTime.zero

    mutating func begin() { hasMore = false }

    mutating func goesOn(_ hasMore: Bool = true) { self.hasMore = hasMore }

    mutating func want(_ effect: PublisherEffect) { effects.append(effect) }

    mutating func take() -> [PublisherEffect] {
        defer { effects = [] }
        return effects
    }

    /// Like ``take()``, but reuses the memory of finished effects: a turn has a hundred effects of some hundred octets
    /// each.
    mutating func take(inPlaceOf done: inout [PublisherEffect]) {
        done.removeAll(keepingCapacity: done.capacity <= Self.keptEffects)
        swap(&effects, &done)
    }

    // MARK: - Messages of other clients

    mutating func heard(at now: MonotonicTime) { heardAt = now }

    /// A line of the log about another client's message. The number of lines a minute is limited, because a client may
    /// publish without limit.
    mutating func logHeard(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) {
        guard let unsaid = heardLimits[message, default: NoticeLimit()].admit(at: heardAt) else { return }
        want(.log(level, message, unsaid > 0 ? metadata.merging(["mqtt.unsaid": "\(unsaid)"]) { $1 } : metadata))
    }
}
