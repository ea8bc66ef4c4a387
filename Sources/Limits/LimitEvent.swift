// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A crossed limit of a sensor, while the sensor is beyond the limit.
package struct LimitCrossing: Codable, Equatable, Sendable {
    /// The sensor, as in topics.
    package var sensor: String
    /// The field's key in payloads; nil for silence.
    package var quantity: String?
    package var side: LimitSide
    /// In the quantity's unit; seconds for silence.
    package var limit: Double
    /// The value that crossed the limit, in the quantity's unit; nil for silence.
    package var value: Double?
    /// The time of the first value beyond the limit, or of the last value before the silence.
    package var since: LimitTime
}

/// The beginning or the end of a crossing. Each reader gets the event once.
package struct LimitEvent: Codable, Equatable, Sendable {
    package enum Outcome: String, Codable, Sendable {
        /// The limit is crossed.
        case crossed
        /// The value is back inside, or values come again.
        case over
        /// The limit, or the sensor, is configured no more.
        case removed
    }

    /// Events of the journal, from 1.
    package var number: Int64
    package var outcome: Outcome
    package var crossing: LimitCrossing
    /// The value at the event, in the quantity's unit; nil for silence, and where none is known.
    package var value: Double?
    /// The time of the event.
    package var at: LimitTime

    /// Differs for all events of a gateway. A repeated id is a repeated event.
    package var id: String { "\(at.boot)-\(at.upMs)-\(number)" }

    /// Keeps the journal's facts short.
    enum CodingKeys: String, CodingKey {
        case number = "n"
        case outcome = "o"
        case crossing = "c"
        case value = "v"
        case at
    }
}
