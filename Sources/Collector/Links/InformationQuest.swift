// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The question for a sensor's maker and model. The collector asks when values flow. Some sensors then end the link,
/// and some never answer, which ends the link, too. After three such ends in a row, the collector does not ask the
/// sensor for a day. The end of a link counts only if the question had been sent, and waited for its answer.
///
/// All times in milliseconds since boot.
struct InformationQuest: Equatable, Sendable {
    private enum Step: Equatable {
        case idle, services, characteristics
        /// The number of values on their way.
        case values(Int)
    }

    private var step = Step.idle
    /// A request was sent, and its link ended without the answer.
    private var isUnanswered = false
    private var ends = 0
    private var lastEnd: Int64 = 0

    var isOpen: Bool { step != .idle }
    var awaitsServices: Bool { step == .services }
    var awaitsCharacteristics: Bool { step == .characteristics }
    var awaitsValues: Bool { if case .values = step { true } else { false } }

    /// The sensor is not asked.
    func isLeftOut(at now: Int64) -> Bool {
        ends >= LinkEndHabit.limit && now.subtractingSaturated(lastEnd) < LinkEndHabit.pause.wholeMilliseconds
    }

    /// False if the collector must not ask the sensor now.
    mutating func begin(at now: Int64) -> Bool {
        guard step == .idle, !isLeftOut(at: now) else { return false }
        step = .services
        return true
    }

    /// The link is about to end without an answer to a request that was sent.
    mutating func leftUnanswered() { isUnanswered = isOpen }

    mutating func foundService() { step = .characteristics }

    mutating func asked(_ values: Int) { step = .values(values) }

    /// A value came, or the sensor refused it; true for the last value.
    mutating func answered() -> Bool {
        guard case .values(let count) = step, count > 1 else {
            done()
            return true
        }
        step = .values(count - 1)
        return false
    }

    /// The sensor has answered all questions.
    mutating func done() { (step, ends) = (.idle, 0) }

    mutating func linkEnded(byUs: Bool, at now: Int64) {
        defer { (step, isUnanswered) = (.idle, false) }
        guard isUnanswered, !byUs else { return }
        (ends, lastEnd) = (min(ends + 1, LinkEndHabit.limit), now)
    }
}
