// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The present link of a sensor, the ends of earlier links, and what links have brought and cost. All times in
/// milliseconds since boot.
struct LinkRecord {
    /// Limit of distinct reasons. Reasons are few, but they come from a peer.
    private static let maximumReasons = 16

    /// The host's number of the present link.
    private(set) var number: UInt32?
    /// Since when there is a link.
    private(set) var since: Int64?
    /// The controller's measurement on the link, dBm.
    private(set) var rssi: Int8?
    /// Why the collector ends the present link.
    private(set) var endCause: String?
    /// Lost links, and useless links.
    private(set) var drops = 0
    private(set) var lastDrop: String?
    /// ``lastDrop``, until the sensor is connected again. A link that a poll has closed on purpose is no drop.
    private var uncountedDrop: String?
    /// Links after a drop, by the reason of the drop.
    private(set) var reconnects: [String: Int] = [:]
    /// The set-up of at least one link of this run has begun.
    private(set) var wasSetUp = false
    /// The sensor has answered on a link of this run.
    private(set) var hasAnswered = false
    /// Points in which the sensor's attribute server departs from the specification, as sentences.
    private(set) var peculiarities: [String] = []
    private var use = LinkUse()

    var exists: Bool { since != nil }
    /// The sensor had a link, and did not answer on it.
    var isMute: Bool { wasSetUp && !hasAnswered }

    mutating func began(_ number: UInt32?, at now: Int64) { (self.number, since, endCause) = (number, now, nil) }
    /// The set-up of the link begins.
    mutating func setUpBegan() { wasSetUp = true }
    mutating func answered() { hasAnswered = true }

    /// Takes the peculiarities that the present link has shown. False if the sensor had them before.
    mutating func recordPeculiarities(_ peculiarities: [String]) -> Bool {
        defer { self.peculiarities = peculiarities }
        return peculiarities != self.peculiarities
    }

    /// Takes the signal strength, if there is a link.
    mutating func measured(_ strength: Int8) { if exists { rssi = strength } }

    /// The collector is about to end the link.
    mutating func willEnd(because cause: String?) { endCause = cause }

    mutating func ended() { (number, since, rssi, endCause) = (nil, nil, nil, nil) }

    /// The link was lost, or was useless.
    mutating func dropped(_ reason: String) {
        drops += 1
        (lastDrop, uncountedDrop) = (reason, reason)
    }

    /// The sensor has a link again: counts the link once for the last drop.
    mutating func countReconnect() {
        guard let reason = uncountedDrop else { return }
        uncountedDrop = nil
        let isTold = reconnects[reason] != nil || reconnects.count < Self.maximumReasons
        reconnects[isTold ? reason : "other", default: 0] += 1
    }

    // MARK: What links bring and cost

    /// The present link is over, and its end not yet recorded. A link without a value of its own was useless.
    ///
    /// - Parameter lastValue: When the newest value came.
    /// - Returns: The pause before the next link.
    mutating func judge(_ reason: LinkEndReason?, lastValue: Int64?, at now: Int64) -> Duration {
        guard let since else { return .zero }
        let hasBrought = lastValue.map { $0 >= since } ?? false
        return use.ended(reason, hasBrought: hasBrought, from: since, to: now)
    }

    mutating func setUpSucceeded() { use.setUpSucceeded() }

    /// See ``LinkUse/nextPause(spread:)``.
    mutating func nextPause(spread: Double) -> Duration { use.nextPause(spread: spread) }

    /// The sensor attends an event every `interval` on the present link.
    mutating func runs(every interval: Duration, at now: Int64) {
        if let since { use.runs(every: interval, from: since, to: now) }
    }

    /// Whether a slower pace than `interval` may be asked for on the present link.
    func mayBeSlower(than interval: Duration, at now: Int64) -> Bool {
        since.map { use.mayBeSlower(than: interval, since: $0, at: now) } ?? false
    }

    mutating func madeSlower(at now: Int64) { use.madeSlower(at: now) }

    /// See ``LinkUse/radioSecondsDay(readings:at:)``.
    func radioSecondsDay(readings: Int, at now: Int64) -> Double? { use.radioSecondsDay(readings: readings, at: now) }
}
