// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// An event of a sensor, for the question why the sensor reconnected, or why it is silent.
package struct SensorEvent: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// A scan reported the sensor, for the first time or after a long silence.
        case heard
        /// A known family decodes the sensor's advertisements, and an entry accepts the sensor.
        case listening
        /// The sensor's packets are encrypted, and its entry has no key, or a wrong key.
        case keyNeeded = "key-needed"
        /// The counter of the sensor's packets went back, so the packets are refused.
        case counterBack = "counter-back"
        /// Another device claims to be this sensor.
        case claimed
        case connecting
        /// A connection attempt led to no link.
        case connectionFailed = "connection-failed"
        case connected
        /// Its link is set up: values are on their way.
        case collecting
        case setUpFailed = "set-up-failed"
        case linkEnded = "link-ended"
        case pairing
        case paired
        case pairingFailed = "pairing-failed"
        /// Another gateway collects from the sensor.
        case elsewhere
        /// The next attempt comes after a pause.
        case waiting
        /// A poll brought an error.
        case pollFailed = "poll-failed"
        /// The sensor does not take a command of its entry.
        case commandRefused = "command-refused"
        /// There is a link, and the time without a value is much longer than usual.
        case silent
        /// Values come again.
        case speaking
        /// The sensor has lost a subscription; the collector writes the subscription again.
        case subscriptionLost = "subscription-lost"
        /// A repair step was taken for a faulty radio.
        case radioStep = "radio-step"
        /// The repair step was not possible.
        case radioStepFailed = "radio-step-failed"
        /// The radio does its work again.
        case radioBack = "radio-back"
        case controllerLost = "controller-lost"
        case controllerReady = "controller-ready"
        case ruleChanged = "rule-changed"
        /// No entry accepts the sensor any more, or the sensor was unpaired.
        case removed
        /// The gateway is stopping.
        case stopped
    }

    package var kind: Kind
    /// Milliseconds since boot; for repeated events, of the last event.
    package var uptimeMs: Int64
    /// Milliseconds since 1970; nil while the clock is unreliable.
    package var unixMs: Int64?
    /// True: an event before the present start of the machine; its uptime counts from that earlier start.
    package var earlierBoot: Bool?
    /// How often the event happened without a new event in between.
    package var count = 1
    /// The time of the first of several repeated events.
    package var firstUptimeMs: Int64?
    package var firstUnixMs: Int64?
    /// In words; cut if the sensor influences the text.
    package var detail: String?
    /// The log's number of the event's link.
    package var link: UInt32?
    package var reason: LinkEndReason?
    package var endedBy: LinkEndReason.Party?
    /// The procedure that waited for the sensor's answer when the link ended, in words.
    package var during: String?
    /// The length of the link, or of the silence.
    package var lastedMs: Int64?
    /// The pause before the gateway tries again.
    package var waitMs: Int64?
    /// The usual interval of values.
    package var usualMs: Int64?
    /// dBm, as last measured before the event.
    package var rssi: Int?

    package init(_ kind: Kind, uptimeMs: Int64, unixMs: Int64? = nil, detail: String? = nil) {
        self.kind = kind
        self.uptimeMs = uptimeMs
        self.unixMs = unixMs
        self.detail = detail
    }

    /// Whether the other event differs only in its time.
    func isRepetition(of other: Self) -> Bool {
        kind == other.kind && reason == other.reason && endedBy == other.endedBy && during == other.during
            && detail == other.detail
    }

    /// Takes the place of an earlier equal event.
    mutating func absorb(_ earlier: Self) {
        count = count.addingSaturated(earlier.count)
        firstUptimeMs = earlier.firstUptimeMs ?? earlier.uptimeMs
        firstUnixMs = earlier.firstUptimeMs == nil ? earlier.unixMs : earlier.firstUnixMs
    }

    /// Gives a time of day to an event from before the clock was right. `offset`: Unix time minus uptime, of the present start
    /// of the machine.
    mutating func date(with offset: Int64) {
        guard earlierBoot != true else { return }
        unixMs = unixMs ?? uptimeMs.addingSaturated(offset)
        if let firstUptimeMs { firstUnixMs = firstUnixMs ?? firstUptimeMs.addingSaturated(offset) }
    }
}
