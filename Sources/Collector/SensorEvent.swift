// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Something that happened to a sensor, for the question why it reconnected, or why it is silent.
package struct SensorEvent: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// A scan told of it, for the first time or after a long silence.
        case heard
        /// What it advertises is known, and an entry wants it.
        case listening
        /// Its packets are encrypted, and its entry has no key, or a wrong one.
        case keyNeeded = "key-needed"
        /// The counter of its packets went back: they are refused.
        case counterBack = "counter-back"
        /// Another device claims to be it.
        case claimed
        case connecting
        /// Connecting was tried, and no link came of it.
        case connectionFailed = "connection-failed"
        case connected
        /// Its link is set up: values are on their way.
        case collecting
        case setUpFailed = "set-up-failed"
        case linkEnded = "link-ended"
        case pairing
        case paired
        case pairingFailed = "pairing-failed"
        /// Another gateway collects from it.
        case elsewhere
        /// The next try comes after a pause.
        case waiting
        /// A poll brought an error.
        case pollFailed = "poll-failed"
        /// There is a link, and no value has come for much longer than usual.
        case silent
        /// Values come again.
        case speaking
        /// What it was subscribed to was no longer so on its side; it is written again.
        case subscriptionLost = "subscription-lost"
        /// Something was done about the radio, which did not do its work.
        case radioStep = "radio-step"
        /// It could not be done.
        case radioStepFailed = "radio-step-failed"
        /// The radio does its work again.
        case radioBack = "radio-back"
        case controllerLost = "controller-lost"
        case controllerReady = "controller-ready"
        case ruleChanged = "rule-changed"
        /// No entry accepts it any more, or it was unpaired.
        case removed
        /// The gateway is stopping.
        case stopped
    }

    package var kind: Kind
    /// Milliseconds since boot; of repeated events, the last one's.
    package var uptimeMs: Int64
    /// Milliseconds since 1970; nil while the clock is not to be trusted.
    package var unixMs: Int64?
    /// How often it happened with nothing new in between.
    package var count = 1
    /// When it happened first, where it did so more than once.
    package var firstUptimeMs: Int64?
    package var firstUnixMs: Int64?
    /// In words; what a sensor has a say in is cut.
    package var detail: String?
    /// The link that it is about, as the log numbers it.
    package var link: UInt32?
    package var reason: LinkEndReason?
    package var endedBy: LinkEndReason.Party?
    /// How long the link had lasted, or the silence.
    package var lastedMs: Int64?
    /// How long the gateway waits before it tries again.
    package var waitMs: Int64?
    /// How often values usually come: one in so long.
    package var usualMs: Int64?
    /// dBm, as last measured before it.
    package var rssi: Int?

    package init(_ kind: Kind, uptimeMs: Int64, unixMs: Int64? = nil, detail: String? = nil) {
        self.kind = kind
        self.uptimeMs = uptimeMs
        self.unixMs = unixMs
        self.detail = detail
    }

    /// Whether the other tells nothing but that it happened again.
    func isRepetition(of other: Self) -> Bool {
        kind == other.kind && reason == other.reason && endedBy == other.endedBy && detail == other.detail
    }

    /// Takes the place of an earlier event that it repeats.
    mutating func absorb(_ earlier: Self) {
        count = count.addingSaturated(earlier.count)
        firstUptimeMs = earlier.firstUptimeMs ?? earlier.uptimeMs
        firstUnixMs = earlier.firstUptimeMs == nil ? earlier.unixMs : earlier.firstUnixMs
    }

    /// Gives a time of day to what happened before the clock was right. `offset`: Unix time minus uptime.
    mutating func date(with offset: Int64) {
        unixMs = unixMs ?? uptimeMs.addingSaturated(offset)
        if let firstUptimeMs { firstUnixMs = firstUnixMs ?? firstUptimeMs.addingSaturated(offset) }
    }
}
