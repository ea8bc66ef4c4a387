// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// When the radio thread reads input from the controller, and when it delivers events; a value.
///
/// Values and advertisements are delivered at most once a ``rest``, all other events at once. While clients do not keep
/// up, nothing is read. A deadline counts only after all input that came in time has been read.
struct ReadingPace {
    /// Unnoticeable: a connection event comes every 7.5 ms at the soonest.
    static let rest: Duration = .milliseconds(2)

    /// Nothing is read until then. Values come so fast that a wake-up for each value would cost more than all other
    /// work.
    private(set) var restUntil: MonotonicTime?
    private var lastDelivery = MonotonicTime.zero
    /// The last turn read all input.
    private var hasReadAll = true
    /// Clients did not keep up, so reading paused for a while, and some input is still unread.
    private(set) var isBehind = false

    var isResting: Bool { restUntil != nil }

    /// A turn of the thread begins.
    ///
    /// - Returns: Whether there may be something to read.
    mutating func beginTurn(isReadable: Bool, at now: MonotonicTime) -> Bool {
        let isRested = restUntil.map { $0 <= now } ?? false
        if isRested { restUntil = nil }
        return isReadable || isRested || isBehind
    }

    mutating func read(isAll: Bool) { hasReadAll = isAll }

    /// The loop has read all input, unless clients did not keep up.
    mutating func finishReading(mayRead: Bool) { isBehind = !mayRead || isBehind && !hasReadAll }

    /// Whether events are delivered in this turn; otherwise they gather.
    ///
    /// - Parameter isFrequent: There are values and advertisements only.
    mutating func delivers(isFrequent: Bool, at now: MonotonicTime) -> Bool {
        guard isFrequent, hasReadAll else { return true }
        if restUntil == nil, now - lastDelivery < Self.rest { restUntil = lastDelivery + Self.rest }
        guard restUntil == nil else { return false }
        // In a stream of values the next ones may as well gather first.
        if now - lastDelivery < Self.rest * 2 { restUntil = now + Self.rest }
        return true
    }

    mutating func delivered(at now: MonotonicTime) { lastDelivery = now }
}
