// SPDX-License-Identifier: Apache-2.0

/// The link that a sensor has, and the ends of those before. All times in milliseconds since boot.
struct LinkRecord {
    /// Reasons that are told apart: they are few, but they come from a peer.
    private static let maximumReasons = 16

    /// The link that there is, as the host numbers it.
    private(set) var number: UInt32?
    /// Since when there is a link.
    private(set) var since: Int64?
    /// As the controller measured it on the link, dBm.
    private(set) var rssi: Int8?
    /// Why we end the link that there is.
    private(set) var endCause: String?
    /// Links that were lost.
    private(set) var drops = 0
    private(set) var lastDrop: String?
    /// The same until the sensor is connected again: a link that a poll has closed on purpose is no drop.
    private var uncountedDrop: String?
    /// Links after a drop, by the reason of that.
    private(set) var reconnects: [String: Int] = [:]
    /// Some link of this run was to be set up.
    private(set) var wasSetUp = false
    /// The sensor has answered something on a link of this run.
    private(set) var hasAnswered = false

    var exists: Bool { since != nil }
    /// It had a link, and answered nothing on it.
    var isMute: Bool { wasSetUp && !hasAnswered }

    mutating func began(_ number: UInt32?, at now: Int64) { (self.number, since, endCause) = (number, now, nil) }
    /// The set-up of the link begins.
    mutating func setUpBegan() { wasSetUp = true }
    mutating func answered() { hasAnswered = true }

    /// Of a link that there is.
    mutating func measured(_ strength: Int8) { if exists { rssi = strength } }

    /// We are about to end the link.
    mutating func willEnd(because cause: String?) { endCause = cause }

    mutating func ended() { (number, since, rssi, endCause) = (nil, nil, nil, nil) }

    /// The link was lost, or was of no use.
    mutating func dropped(_ reason: String) {
        drops += 1
        (lastDrop, uncountedDrop) = (reason, reason)
    }

    /// There is a link again: counts that once for the drop before it.
    mutating func countReconnect() {
        guard let reason = uncountedDrop else { return }
        uncountedDrop = nil
        let isTold = reconnects[reason] != nil || reconnects.count < Self.maximumReasons
        reconnects[isTold ? reason : "other", default: 0] += 1
    }
}
