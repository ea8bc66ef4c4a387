// SPDX-License-Identifier: Apache-2.0

/// The present link of a sensor, and the ends of earlier links. All times in milliseconds since boot.
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

    var exists: Bool { since != nil }
    /// The sensor had a link, and did not answer on it.
    var isMute: Bool { wasSetUp && !hasAnswered }

    mutating func began(_ number: UInt32?, at now: Int64) { (self.number, since, endCause) = (number, now, nil) }
    /// The set-up of the link begins.
    mutating func setUpBegan() { wasSetUp = true }
    mutating func answered() { hasAnswered = true }

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
}
