// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The rounds in which all sensors are looked at for silence.
struct SensorRounds {
    /// How often sensors are looked at.
    static let period = DispatchTimeInterval.seconds(30)

    /// When sensors are looked at again; nil while nobody needs it.
    private(set) var deadline: DispatchTime?
    /// Whether those that advertise are heard.
    var unheard = UnheardWatch()
    /// The last of the controller's events that sensors were told of.
    private var knownRadioEvent: UInt64 = 0

    /// There is a sensor to look at. False where rounds are made already.
    mutating func begin(at now: DispatchTime) -> Bool {
        guard deadline == nil else { return false }
        deadline = now + Self.period
        return true
    }

    /// A round is made now; others follow while they are needed.
    mutating func next(isNeeded: Bool, at now: DispatchTime) { deadline = isNeeded ? now + Self.period : nil }

    /// The number of the last event that sensors were told of before, where `newest` is a newer one; it is then the known one.
    mutating func takeRadioEvents(upTo newest: UInt64) -> UInt64? {
        guard newest > knownRadioEvent else { return nil }
        defer { knownRadioEvent = newest }
        return knownRadioEvent
    }
}
