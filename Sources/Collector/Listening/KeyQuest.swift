// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Platform

/// The question for the key of a sensor's Encrypted Advertising Data. Each question makes a link to the sensor. The
/// pauses grow while the sensor gives no key.
struct KeyQuest: Sendable {
    enum Outcome: Equatable, Sendable {
        case newKey
        /// The sensor has given the key that it gave before.
        case sameKey
        /// In words.
        case failed(String)
    }

    private(set) var isUnderway = false
    /// An operator has decided otherwise meanwhile: the answer does not count.
    private(set) var isCancelled = false
    private(set) var outcome: Outcome?
    /// No question begins before this time; nil before the first question.
    private var next: DispatchTime?
    private var backoff: Backoff?

    /// Why the last question brought no key.
    var failure: String? { if case .failed(let reason)? = outcome { reason } else { nil } }

    func isDue(at now: DispatchTime) -> Bool { !isUnderway && next.map { now >= $0 } ?? true }

    mutating func begin() { (isUnderway, isCancelled) = (true, false) }

    mutating func cancel() { isCancelled = isUnderway }

    /// The question has ended. Other devices may send packets that the key does not open, so the pauses grow while the
    /// sensor gives the same key again.
    ///
    /// - Parameters:
    ///   - pauses: The first pause and the longest pause.
    ///   - spread: As in ``Backoff/wait(spread:)``.
    mutating func end(
        _ outcome: Outcome, at now: DispatchTime, pauses: ClosedRange<Duration>, spread: Double
    ) {
        (isUnderway, self.outcome) = (false, outcome)
        var backoff = backoff ?? Backoff(pauses)
        if outcome == .newKey { backoff.reset() }
        next = now + .milliseconds(Int(backoff.wait(spread: spread).wholeMilliseconds))
        self.backoff = backoff
    }
}
