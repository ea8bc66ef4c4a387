// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Chooses the step against a trouble of the radio. The gentlest step comes first, and the next step only when the
/// trouble comes again. A budget limits the steps a day. Without I/O and clocks.
package struct RecoveryLadder: Sendable {
    package enum Decision: Equatable, Sendable {
        case take(RecoveryStep)
        /// Every step was tried. At `until`, the controller is tried again, from the first step on.
        case pause(until: MonotonicTime)
    }

    /// Pauses grow from the first to the last.
    static let firstPause: Duration = .seconds(5)
    static let lastPause: Duration = .seconds(600)
    private static let day: Duration = .seconds(86_400)
    /// How long an unseen effect of a step is awaited: some places are silent for half an hour.
    private static let longestProof: Duration = .seconds(7_200)

    private struct Taken {
        var step: RecoveryStep
        var at: MonotonicTime
    }

    /// Steps of the last day, the newest last; bounded by the budgets.
    private var taken: [Taken] = []
    /// The step on trial, and how often it was taken in a row.
    private var rung: RecoveryStep?
    private var tries = 0
    private var pause = firstPause
    /// Every step was tried. From then on, the steps are tried again.
    private var pausedUntil: MonotonicTime?
    /// When the present trouble began.
    private var began: MonotonicTime?

    package init() {}

    /// A step was taken, and its effect has not been seen yet.
    package var isClimbing: Bool { began != nil }

    /// The last step against the present trouble.
    package var lastStep: RecoveryStep? { isClimbing ? rung : nil }

    /// When the last step was taken.
    package var lastTaken: MonotonicTime? { taken.last?.at }

    /// - Parameter available: The steps that are possible now.
    package mutating func decide(
        about trouble: RadioTrouble, available: Set<RecoveryStep>, at now: MonotonicTime
    ) -> Decision {
        taken.removeAll { now - $0.at >= Self.day }
        if !isUnderway(at: now) { (rung, tries, pause, pausedUntil) = (nil, 0, Self.firstPause, nil) }
        if began == nil { began = now }
        let isAllowed = { [taken] (step: RecoveryStep) in
            available.contains(step) && taken.count { $0.step == step } < step.daily
        }
        if let rung, tries < trouble.tries(of: rung), rung >= trouble.first, rung <= trouble.last, isAllowed(rung) {
            return begin(rung, tries: tries + 1, at: now)
        }
        let above = RecoveryStep.allCases.first { step in
            step >= trouble.first && step <= trouble.last && rung.map { step > $0 } ?? true && isAllowed(step)
        }
        if let above { return begin(above, tries: 1, at: now) }
        let end = now + pause
        (rung, tries, pause, pausedUntil) = (nil, 0, min(pause * 2, Self.lastPause), end)
        return .pause(until: end)
    }

    /// The trouble belongs to the last step or the last pause: the effect was not seen, or did not last.
    private func isUnderway(at now: MonotonicTime) -> Bool {
        guard let last = rung == nil ? pausedUntil : taken.last?.at else { return false }
        return now - last < (isClimbing ? Self.longestProof : (rung ?? .reset).proof)
    }

    private mutating func begin(_ step: RecoveryStep, tries: Int, at now: MonotonicTime) -> Decision {
        (rung, self.tries) = (step, tries)
        taken.append(Taken(step: step, at: now))
        return .take(step)
    }

    /// The radio works. The last step has helped, unless the trouble comes again within the step's proof.
    ///
    /// - Returns: The step, and the duration of the trouble; nil if there was none.
    package mutating func recordEffect(at now: MonotonicTime) -> (step: RecoveryStep?, after: Duration)? {
        guard let since = began else { return nil }
        began = nil
        return (rung, now - since)
    }
}
