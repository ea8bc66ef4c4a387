// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Which step is taken against a trouble of the radio: the gentlest first, and the next one only when the trouble comes again,
/// within a budget a day. Without I/O and clocks.
package struct RecoveryLadder: Sendable {
    package enum Decision: Equatable, Sendable {
        case take(RecoveryStep)
        /// Everything was tried: the controller is tried again then, from the first step on.
        case pause(until: MonotonicTime)
    }

    /// Pauses grow from the first to the last.
    static let firstPause: Duration = .seconds(5)
    static let lastPause: Duration = .seconds(600)
    private static let day: Duration = .seconds(86_400)
    /// A step whose effect was not seen is waited for so long: some places are silent for half an hour.
    private static let longestProof: Duration = .seconds(7_200)

    private struct Taken {
        var step: RecoveryStep
        var at: MonotonicTime
    }

    /// Of the last day, the newest last; bounded by the budgets.
    private var taken: [Taken] = []
    /// The step that has to prove itself, and how often it was taken in a row.
    private var rung: RecoveryStep?
    private var tries = 0
    private var pause = firstPause
    /// All was tried; from then on it is tried again.
    private var pausedUntil: MonotonicTime?
    /// When the trouble began that is not over.
    private var began: MonotonicTime?

    package init() {}

    /// A step was taken, and its effect was not seen yet.
    package var isClimbing: Bool { began != nil }

    /// The last step that was taken against the trouble under way.
    package var lastStep: RecoveryStep? { isClimbing ? rung : nil }

    /// When the last step was taken.
    package var lastTaken: MonotonicTime? { taken.last?.at }

    /// - Parameter available: The steps that can be taken at all, now.
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
            return take(rung, tries: tries + 1, at: now)
        }
        let above = RecoveryStep.allCases.first { step in
            step >= trouble.first && step <= trouble.last && rung.map { step > $0 } ?? true && isAllowed(step)
        }
        if let above { return take(above, tries: 1, at: now) }
        let end = now + pause
        (rung, tries, pause, pausedUntil) = (nil, 0, min(pause * 2, Self.lastPause), end)
        return .pause(until: end)
    }

    /// The trouble of now is the one that the last step, or the last pause, was for: its effect was not seen, or did not last.
    private func isUnderway(at now: MonotonicTime) -> Bool {
        guard let last = rung == nil ? pausedUntil : taken.last?.at else { return false }
        return now - last < (isClimbing ? Self.longestProof : (rung ?? .reset).proof)
    }

    private mutating func take(_ step: RecoveryStep, tries: Int, at now: MonotonicTime) -> Decision {
        (rung, self.tries) = (step, tries)
        taken.append(Taken(step: step, at: now))
        return .take(step)
    }

    /// The radio does its work: what was done last has helped, unless the trouble comes again within its proof.
    ///
    /// - Returns: The step, and how long the trouble has lasted; nil where there was none.
    package mutating func noteEffect(at now: MonotonicTime) -> (step: RecoveryStep?, after: Duration)? {
        guard let since = began else { return nil }
        began = nil
        return (rung, now - since)
    }
}
