// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A sensor's turns at a link, if sensors take turns. All times in milliseconds since boot.
struct SlotTurn: Equatable, Sendable {
    /// The longest pause after a missed turn.
    private static let longestPause: Int64 = 1_800_000

    /// When the sensor should have its next link.
    private(set) var due: Int64 = 0
    /// Since when the controller waits for the sensor.
    private(set) var askedAt: Int64?
    /// Missed turns in a row.
    private(set) var misses = 0
    /// Links without an answer of the sensor.
    private var silences = 0
    /// Other sensors were faster in the sensor's last turn.
    private(set) var isOvertaken = false
    /// When its newest turn began, …
    private(set) var began: Int64?
    /// …and the time since the turn before.
    private(set) var period: Int64?
    /// The log's word for the request, when the turn comes.
    private var step: String?

    /// The sensor waits for its turn; `step`: the log's word.
    mutating func wait(for step: String) { self.step = step }

    /// The sensor's turn comes.
    mutating func takeStep() -> String {
        defer { step = nil }
        return step ?? "turn"
    }

    mutating func asked(at now: Int64) { askedAt = now }

    /// The controller had no room: the sensor waits on as before the request.
    mutating func refused() { (askedAt, isOvertaken) = (nil, true) }

    mutating func connected(at now: Int64) {
        if let began { period = now.subtractingSaturated(began) }
        (began, askedAt, misses, isOvertaken) = (now, nil, 0, false)
    }

    /// The sensor's link is gone. `interval`: see ``SlotClaim/interval``.
    mutating func ended(interval: Int64?, at now: Int64) {
        askedAt = nil
        guard let interval, let began else {
            due = now
            return
        }
        due = max(now, began.addingSaturated(interval))
    }

    /// The sensor had a link, and did not answer. Other sensors go first for a while, even if the sensor is heard.
    mutating func wasMute(at now: Int64, limits: SlotLimits = .init()) {
        silences += 1
        due = now.addingSaturated(min(limits.patience << Int64(min(silences, 10)), Self.longestPause))
    }

    /// The sensor did not come. Other sensors go first for a while.
    mutating func missed(at now: Int64, limits: SlotLimits = .init()) {
        (askedAt, isOvertaken) = (nil, false)
        misses += 1
        due = now.addingSaturated(min(limits.patience << Int64(min(misses, 10)), Self.longestPause))
    }

    /// The sensor was heard, so it would come now.
    mutating func heard(at now: Int64) {
        guard misses > 0, due > now else { return }
        due = now
    }

    /// All sensors have links again, so the former period means nothing.
    mutating func forgetPeriod() { period = nil }
}
