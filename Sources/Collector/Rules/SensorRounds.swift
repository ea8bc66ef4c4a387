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
    /// When states are judged again, beside these rounds; nil while nobody needs it.
    private(set) var judgement: DispatchTime?
    /// Events that wait to be written.
    var keeping = EventKeeping()
    /// Whether the radio works.
    var outage = RadioOutage()
    /// Whether entries without a sensor say something.
    var hearing = HearingTime()
    /// The last of the controller's events that sensors were told of.
    private var knownRadioEvent: UInt64 = 0

    /// There is a sensor to check. False if rounds are already under way.
    mutating func begin(at now: DispatchTime) -> Bool {
        guard deadline == nil else { return false }
        deadline = now + Self.period
        return true
    }

    /// A round is made now; further rounds follow while they are needed.
    mutating func next(isNeeded: Bool, at now: DispatchTime) { deadline = isNeeded ? now + Self.period : nil }

    /// States are judged after `pause` milliseconds, and after a round's time at the latest.
    mutating func judge(after pause: Int64?, isNeeded: Bool, at now: DispatchTime) {
        guard isNeeded else { return judgement = nil }
        let longest = now + Self.period
        judgement = pause.map { min(now + .milliseconds(Int(clamping: min($0, 86_400_000))), longest) } ?? longest
    }

    /// Whether states are to be judged now.
    func isJudgementDue(at now: DispatchTime) -> Bool { judgement.map { $0 <= now } ?? false }

    /// The number of the last event that sensors were told of before, where `newest` is a newer one; it is then the known one.
    mutating func takeRadioEvents(upTo newest: UInt64) -> UInt64? {
        guard newest > knownRadioEvent else { return nil }
        defer { knownRadioEvent = newest }
        return knownRadioEvent
    }
}
