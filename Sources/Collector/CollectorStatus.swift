// SPDX-License-Identifier: Apache-2.0

import Readings

/// How the collector and its sensors are doing, as `martlet status` shows it.
package struct CollectorStatus: Codable, Equatable, Sendable {
    package var scanning = false
    package var sensors: [SensorStatus] = []
    /// Entries of the configuration that no sensor has answered to.
    package var awaited: [AwaitedSensor] = []
    /// More sensors want a link than there are: they take turns. Nil where there are links for all.
    package var shortage: SlotShortage?
    /// Readings handed to the journal since the start.
    package var readings = 0
    /// Values that came from a characteristic that nothing was asked of.
    package var unexpected = 0

    package init() {}
}

package struct SensorStatus: Codable, Equatable, Sendable {
    package enum Link: String, Codable, Sendable, CaseIterable {
        /// Asked for; it comes when the sensor is in range.
        case connecting
        /// Connected; services are being found and subscribed to.
        case settingUp = "setting-up"
        /// Values flow.
        case collecting
        /// It was read; the link is made again for the next time.
        case resting
        /// There are more sensors than links, and it is not its turn.
        case queued
        /// A try failed; the next one comes after a pause.
        case waiting
        /// The connection is being given up, to be made again.
        case disconnecting
        /// The controller is not ready.
        case unavailable
        /// Its values come in what it advertises; nobody connects to it.
        case listening
        /// Another gateway has its link, or waits for it.
        case elsewhere
    }

    package struct Value: Codable, Equatable, Sendable {
        package var characteristic: String
        /// Hexadecimal digits.
        package var value: String
        package var source: String
        /// Milliseconds since boot.
        package var uptimeMs: Int64
        /// Milliseconds since 1970; nil when the clock was not to be trusted.
        package var unixMs: Int64?
        /// Milliseconds from when it came to when the status was asked for.
        package var ageMs: Int64?
        /// What a decoder makes of it: nothing where the sensor said that it does not know; nil where there is no decoder.
        package var fields: [DecodedField]?
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
    /// So many milliseconds without a value are silence; nil: none are, as with a button.
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
    /// Why the last set-up failed; nil after one that worked.
    package var lastFailure: String?
    /// What is wrong with its security, and what to do about it.
    package var trouble: String?
    /// What its bond is worth; nil when it is not paired.
    package var security: String?
    /// What was asked for and the sensor lacks.
    package var missing: [String]
    /// Indicated values that were not on disk in time, and so were not confirmed; each cost a link.
    package var unconfirmed = 0
    /// Values that the sensor's own numbering says never came; nil when it has none.
    package var gap: Int?
    /// Who knows its advertisements: `bthome`; nil for one with a link.
    package var family: String?
    /// Packets that said what an earlier one had said; nil for one with a link.
    package var repeats: Int?
    /// The address of another device that claims to be it; nil where none does.
    package var claimedBy: String?
    /// The counter of its packets went back, and they are refused; nil where that is not so.
    package var counterBack: Bool?
    /// Packets that are no readings, by reason: `no-key`, `wrong-key`, `not-encrypted`, `replayed`.
    package var refused: [String: Int]?
    /// Its readings by how they came: `advert`, `notify`, `indicate`, `read`.
    package var sources: [String: Int]?
    /// Milliseconds from one turn at a link to the next, as last seen; nil where sensors need not take turns.
    package var turnMs: Int64?
    /// One value in so many milliseconds is what its entry asks for; nil where it does not say.
    package var wantedMs: Int64?
    /// Seconds a day for which the sensor's radio is on because of its links, as estimated; nil for one without.
    package var radioSecondsDay: Double?
    /// The newest value of each characteristic.
    package var values: [Value]
}
