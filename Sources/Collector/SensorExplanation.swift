// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The answer of `martlet why`: how a sensor is, what can be done about it, and what happened.
package struct SensorExplanation: Codable, Equatable, Sendable {
    package enum State: String, Codable, Sendable {
        /// As in ``SensorStatus/Link``.
        case connecting
        case settingUp = "setting-up"
        case collecting
        case resting
        case queued
        case waiting
        case disconnecting
        case unavailable
        case listening
        case elsewhere
        /// An entry waits for it.
        case awaited = "not-seen-yet"
        /// It is in the air, and no entry accepts it.
        case notAccepted = "not-accepted"
        /// It was collected from, and no entry accepts it any more.
        case removed
    }

    /// Its id in topics, else what it was asked about by.
    package var sensor: String
    package var name: String?
    package var address: String?
    package var identifier: String?
    package var state: State
    /// The state of its values, which every surface shows; nil where no entry is about it.
    package var health: SensorState?
    /// Milliseconds since that state began, where that is known.
    package var healthAgeMs: Int64?
    /// One sentence.
    package var answer: String
    /// What to do, in sentences; nil where nothing has to be done, or nothing is known.
    package var advice: String?
    /// The link that it has, as the log numbers it.
    package var link: UInt32?
    /// dBm, as last measured.
    package var rssi: Int?
    /// Milliseconds since the newest value came, and since anything was heard of it.
    package var lastValueAgeMs: Int64?
    package var lastHeardAgeMs: Int64?
    /// One value usually comes in so many milliseconds.
    package var usualMs: Int64?
    /// Milliseconds until the next try.
    package var nextTryMs: Int64?
    /// Seconds a day for which its radio is on because of its links, as estimated.
    package var radioSecondsDay: Double?
    /// Points in which its attribute server departs from the specification, as sentences without full stops; nil: none.
    package var peculiarities: [String]?
    /// The advertised octets, where no decoder understands them.
    package var octets: HeardOctets?
    /// Links that ended in the last 24 hours, by reason.
    package var ends: [LinkEndTally.Entry] = []
    /// Oldest first.
    package var events: [SensorEvent] = []
    /// What its entry asks for, and what is like it in the air; where no sensor has answered to it.
    package var awaited: AwaitedSensor?
    /// Milliseconds since boot at which this was said.
    package var uptimeMs: Int64

    package init(sensor: String, state: State, answer: String, advice: String? = nil, uptimeMs: Int64) {
        self.sensor = sensor
        self.state = state
        self.answer = answer
        self.advice = advice
        self.uptimeMs = uptimeMs
    }
}

/// Nobody knows a sensor by that name.
package struct SensorUnknown: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String
}
