// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The rounds in which all sensors are checked for silence.
struct SensorRounds {
    /// The time between two rounds.
    static let period = DispatchTimeInterval.seconds(30)

    /// The time of the next round; nil without a need.
    private(set) var deadline: DispatchTime?
    /// Whether the advertising sensors are heard.
    var unheard = UnheardWatch()
    /// The last event of the controller in the sensors' histories.
    private var knownRadioEvent: UInt64 = 0

    /// There is a sensor to check. False if rounds are already under way.
    mutating func begin(at now: DispatchTime) -> Bool {
        guard deadline == nil else { return false }
        deadline = now + Self.period
        return true
    }

    /// A round is made now; further rounds follow while they are needed.
    mutating func next(isNeeded: Bool, at now: DispatchTime) { deadline = isNeeded ? now + Self.period : nil }

    /// The number of the controller's last known event; nil if `newest` is not newer. `newest` becomes the known event.
    mutating func takeRadioEvents(upTo newest: UInt64) -> UInt64? {
        guard newest > knownRadioEvent else { return nil }
        defer { knownRadioEvent = newest }
        return knownRadioEvent
    }
}
