// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A sensor's turns at a link, where sensors take turns. All times in milliseconds since boot.
struct SlotTurn: Equatable, Sendable {
    /// The longest pause before one that did not come is asked for again.
    private static let longestPause: Int64 = 1_800_000

    /// When it should have a link again.
    private(set) var due: Int64 = 0
    /// Since when the controller waits for it.
    private(set) var askedAt: Int64?
    /// Turns in a row in which it did not come.
    private(set) var misses = 0
    /// Links on which it answered nothing.
    private var silences = 0
    /// Others were faster when it was asked for last.
    private(set) var isOvertaken = false
    /// When its newest turn began, …
    private(set) var began: Int64?
    /// …and how long after the one before.
    private(set) var period: Int64?
    /// What it is asked for with, once it is its turn.
    private var step: String?

    /// It waits for its turn, with a word for the log.
    mutating func wait(for step: String) { self.step = step }

    /// It is its turn.
    mutating func takeStep() -> String {
        defer { step = nil }
        return step ?? "turn"
    }

    mutating func asked(at now: Int64) { askedAt = now }

    /// The controller had no room: it waits on as if it had not been asked for.
    mutating func refused() { (askedAt, isOvertaken) = (nil, true) }

    mutating func connected(at now: Int64) {
        if let began { period = now.subtractingSaturated(began) }
        (began, askedAt, misses, isOvertaken) = (now, nil, 0, false)
    }

    /// Its link is gone. `interval`: see ``SlotClaim/interval``.
    mutating func ended(interval: Int64?, at now: Int64) {
        askedAt = nil
        guard let interval, let began else {
            due = now
            return
        }
        due = max(now, began.addingSaturated(interval))
    }

    /// It had a link, and answered nothing: others go first for a while, whether it is heard or not.
    mutating func wasMute(at now: Int64, limits: SlotLimits = .init()) {
        silences += 1
        due = now.addingSaturated(min(limits.patience << Int64(min(silences, 10)), Self.longestPause))
    }

    /// It did not come: others go first for a while.
    mutating func missed(at now: Int64, limits: SlotLimits = .init()) {
        (askedAt, isOvertaken) = (nil, false)
        misses += 1
        due = now.addingSaturated(min(limits.patience << Int64(min(misses, 10)), Self.longestPause))
    }

    /// It was heard: it would come now.
    mutating func heard(at now: Int64) {
        guard misses > 0, due > now else { return }
        due = now
    }

    /// Links are for all again, and what was is no measure any more.
    mutating func forgetPeriod() { period = nil }
}
