// SPDX-License-Identifier: Apache-2.0

/// The state of a sensor: one for all that ask, by the sensor's own usual interval.
///
/// The collector computes it (``SensorFacts``); status, page, `why`, doctor, metrics, MQTT and the log show it and judge nothing.
package enum SensorState: String, Codable, Equatable, Sendable, CaseIterable {
    /// Values come as they usually do. Also of a sensor that speaks of events alone.
    case fresh
    /// No value for three of its usual intervals, and half a minute at least.
    case late
    /// No value for ten of its usual intervals, and a minute at least; for as long as its entry says.
    case silent
    /// No value has come since the gateway looks for it.
    case neverHeard = "never-heard"
    /// It is in the air, and no value can be read of what it sends.
    case notUnderstood = "not-understood"
    /// Another gateway has it.
    case elsewhere
    /// The radio does not work, or hears nobody at all: nobody can say.
    case unknown
    /// Nothing is to be collected from it.
    case off

    /// Its values are those of the present: consumers are told that it is online.
    package var isPresent: Bool { self == .fresh || self == .late }

    /// No person has to act on the sensor here.
    package var isGood: Bool { isPresent || self == .elsewhere || self == .off }

    /// For a line of text: `silent`.
    package var words: String {
        switch self {
        case .neverHeard: "never heard"
        case .notUnderstood: "not understood"
        case .fresh, .late, .silent, .elsewhere, .unknown, .off: rawValue
        }
    }
}
