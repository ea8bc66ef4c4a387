// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The state of the collector and its sensors, as `martlet status` shows it.
package struct CollectorStatus: Codable, Equatable, Sendable {
    package var scanning = false
    package var sensors: [SensorStatus] = []
    /// Entries of the configuration without a sensor.
    package var awaited: [AwaitedSensor] = []
    /// Sensors take turns, because more sensors want a link than the controller has. Nil if there are links for all
    /// sensors.
    package var shortage: SlotShortage?
    /// Milliseconds for which the radio has heard nobody; nil while no sensor's state is unknown for this reason.
    package var unheardMs: Int64?
    /// True while the radio has not heard for long enough to say that a sensor is not there; nil afterwards.
    package var isEarly: Bool?
    /// Readings handed to the journal since the start.
    package var readings = 0
    /// Values of a characteristic that the collector did not ask for.
    package var unexpected = 0

    package init() {}
}

package struct SensorStatus: Codable, Equatable, Sendable {
    package enum Link: String, Codable, Sendable, CaseIterable {
        /// The link is requested, and comes when the sensor is in range.
        case connecting
        /// Connected; services are being found and subscribed to.
        case settingUp = "setting-up"
        /// Values flow.
        case collecting
        /// The sensor was read, and the link comes back for the next read.
        case resting
        /// There are more sensors than links, and the sensor waits for its turn.
        case queued
        /// An attempt failed; the next attempt comes after a pause.
        case waiting
        /// The connection is being given up, to be made again.
        case disconnecting
        /// The controller is not ready.
        case unavailable
        /// The sensor's values come in its advertisements, without a connection.
        case listening
        /// Another gateway has the sensor's link, or waits for the link.
        case elsewhere
    }

    package struct Value: Codable, Equatable, Sendable {
        package var characteristic: String
        /// Hexadecimal digits.
        package var value: String
        package var source: String
        /// Milliseconds since boot.
        package var uptimeMs: Int64
        /// Milliseconds since 1970; nil if the clock was unreliable.
        package var unixMs: Int64?
        /// Milliseconds between the value's arrival and the request for the status.
        package var ageMs: Int64?
        /// The decoded fields. Empty if the sensor does not know the value; nil without a decoder.
        package var fields: [DecodedField]?
        /// For people, if the fields have an operator's offsets, or the characteristic is a text; nil: as the octets say.
        package var text: String?

        /// For people: `23.4 °C`.
        package var words: String {
            text ?? ValueText.of(characteristic: characteristic, value: [UInt8](hexadecimal: value) ?? [])
        }
    }

    /// As in topics.
    package var id: String
    package var name: String?
    package var address: String?
    package var identifier: String
    package var link: Link
    /// The state of its values, which every surface shows.
    package var health = SensorState.neverHeard
    /// Milliseconds since that state began; nil where that is not known.
    package var healthAgeMs: Int64?
    /// One value usually comes in so many milliseconds; nil where that is not known.
    package var usualMs: Int64?
    /// The milliseconds without a value that are silence; nil: no time is silence, as with a button.
    package var silentAfterMs: Int64?
    /// The gateway that takes care of it in place of this one; nil is none.
    package var owner: String?
    /// dBm, as last heard.
    package var rssi: Int?
    package var readings: Int
    package var drops: Int
    /// Reconnections by the reason of the drop before them.
    package var reconnects: [String: Int]
    package var lastDrop: String?
    /// Why the last set-up failed; nil after a successful set-up.
    package var lastFailure: String?
    /// The trouble of the sensor's security, and the remedy.
    package var trouble: String?
    /// The strength of the sensor's bond; nil if the sensor is not paired.
    package var security: String?
    /// Requested characteristics that the sensor lacks.
    package var missing: [String]
    /// Indicated values that were not on disk in time, so the collector did not confirm them. Each of them ended a
    /// link.
    package var unconfirmed = 0
    /// Missing values, by the sensor's own numbers; nil without numbers.
    package var gap: Int?
    /// The commands of its entry, by outcome: `written`, `refused`, and rounds that were `left-out`; nil without
    /// commands.
    package var commands: [String: Int]?
    /// The family that decodes the sensor's advertisements: `bthome`; nil for a sensor with a link.
    package var family: String?
    /// Packets that repeated an earlier packet; nil for a sensor with a link.
    package var repeats: Int?
    /// The address of another device that claims to be this sensor; nil: none.
    package var claimedBy: String?
    /// The counter of the sensor's packets went back, so the collector refuses the packets; nil otherwise.
    package var counterBack: Bool?
    /// Packets without a reading, by reason: `no-key`, `wrong-key`, `not-encrypted`, `replayed`.
    package var refused: [String: Int]?
    /// The sensor's readings by source: `advert`, `notify`, `indicate`, `read`.
    package var sources: [String: Int]?
    /// Milliseconds between the sensor's last two turns at a link; nil if sensors need not take turns.
    package var turnMs: Int64?
    /// The interval between values that the entry asks for, in milliseconds; nil without a wish.
    package var wantedMs: Int64?
    /// Estimated seconds a day for which links keep the sensor's radio on; nil for a sensor without links.
    package var radioSecondsDay: Double?
    /// The best name for people: the label, the id that a person chose, or the sensor's own name.
    package var title: String?
    /// The operator's name for the sensor.
    package var label: String?
    package var room: String?
    /// The operator's offsets, which `fields` have, by quantity; nil: none.
    package var offsets: [String: Double]?
    /// The newest value of each characteristic.
    package var values: [Value]
}
