// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health

/// The answer of `martlet why`: the state of a sensor, the remedy, and the events.
package struct SensorExplanation: Codable, Equatable, Sendable {
    /// The sensor's place among entries and links; one word in JSON.
    package enum State: RawRepresentable, Codable, Equatable, Sendable {
        /// An entry is about the sensor, and its link is in this state.
        case link(SensorStatus.Link)
        /// An entry waits for the sensor.
        case awaited
        /// The device is in the air, and no entry accepts it.
        case notAccepted
        /// The sensor was collected, and no entry accepts it any more.
        case removed

        package init?(rawValue: String) {
            if let link = SensorStatus.Link(rawValue: rawValue) {
                self = .link(link)
                return
            }
            let others: [State] = [.awaited, .notAccepted, .removed]
            guard let state = others.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = state
        }

        // A switch: `==` of a raw representable value asks for its raw value.
        package var rawValue: String {
            switch self {
            case .link(let link): link.rawValue
            case .awaited: "not-seen-yet"
            case .notAccepted: "not-accepted"
            case .removed: "removed"
            }
        }
    }

    /// The sensor's id in topics, or else its name in the question.
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
    /// The remedy, in sentences; nil if no remedy is needed or known.
    package var advice: String?
    /// The log's number of the present link.
    package var link: UInt32?
    /// dBm, as last measured.
    package var rssi: Int?
    /// Milliseconds since the newest value, and since the last sign of the sensor.
    package var lastValueAgeMs: Int64?
    package var lastHeardAgeMs: Int64?
    /// The usual milliseconds between values.
    package var usualMs: Int64?
    /// Milliseconds until the next attempt.
    package var nextTryMs: Int64?
    /// Estimated seconds a day for which links keep the sensor's radio on.
    package var radioSecondsDay: Double?
    /// Points in which its attribute server departs from the specification, as sentences without full stops; nil: none.
    package var peculiarities: [String]?
    /// The advertised octets, if no decoder understands them.
    package var octets: HeardOctets?
    /// Links that ended in the last 24 hours, by reason.
    package var ends: [LinkEndTally.Entry] = []
    /// Oldest first.
    package var events: [SensorEvent] = []
    /// The problems of this sensor, as in the gateway's account; nil before the gateway has added them.
    package var problems: [Problem]?
    /// The entry's conditions, and similar devices in the air; for an entry without a sensor.
    package var awaited: AwaitedSensor?
    /// Milliseconds since boot at the time of this answer.
    package var uptimeMs: Int64

    package init(sensor: String, state: State, answer: String, advice: String? = nil, uptimeMs: Int64) {
        self.sensor = sensor
        self.state = state
        self.answer = answer
        self.advice = advice
        self.uptimeMs = uptimeMs
    }
}

/// No sensor has this name.
package struct SensorUnknown: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String
}
