// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// When the radio thread reads what the controller has sent, and when it delivers; a value.
///
/// Values and advertisements are delivered at most once a ``rest``; everything else at once. Where clients do not keep up,
/// nothing is read, and no deadline has passed before what came in time is read.
struct ReadingPace {
    /// A connection event comes every 7.5 ms at the soonest, so nobody notices.
    static let rest: Duration = .milliseconds(2)

    /// Until then nothing is read: values come so fast that a wake-up for each would cost more than all the rest.
    private(set) var restUntil: MonotonicTime?
    private var lastDelivery = MonotonicTime.zero
    /// The last turn read all there was.
    private var hasReadAll = true
    /// Clients did not keep up, so nothing was read for a while, and not everything has been since.
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

    /// The loop has read all that there was, unless clients did not keep up.
    mutating func finishReading(mayRead: Bool) { isBehind = !mayRead || isBehind && !hasReadAll }

    /// Whether events are delivered in this turn; else they gather.
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
