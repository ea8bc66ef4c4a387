// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The commands of a sensor's entry: when the next round is due, and how many commands were written.
///
/// A round begins after the set-up of a link, and again after each interval. A round is left out while the sensor owes
/// answers to the round before, so that no more than ``SensorRule/Command/maximumCount`` commands wait in the host.
struct CommandSchedule: Equatable {
    /// Commands that the sensor has confirmed, or that need no confirmation.
    private(set) var written = 0
    private(set) var refused = 0
    /// Rounds without commands: the sensor had not answered the round before.
    private(set) var leftOut = 0
    /// When the next round begins; nil: there is none on this link.
    private(set) var deadline: DispatchTime?
    /// Commands of the last round that wait for the sensor's confirmation.
    private var pending = 0
    private var isRoundRefused = false

    /// The sensor has taken all commands of the last round.
    var isRoundTaken: Bool { pending == 0 && !isRoundRefused }

    /// By what became of them, for people.
    var counts: [String: Int] { ["written": written, "refused": refused, "left-out": leftOut] }

    /// A set-up of the link ends: nothing that was written before is waited for.
    mutating func setUp() { (pending, deadline) = (0, nil) }

    /// The time of a round has come. False if the round is to be left out.
    ///
    /// - Parameter interval: To the next round; nil: there is none.
    mutating func beginRound(at now: DispatchTime, every interval: DispatchTimeInterval?) -> Bool {
        deadline = interval.map { now + $0 }
        guard pending == 0 else {
            leftOut += 1
            return false
        }
        isRoundRefused = false
        return true
    }

    mutating func asked() { pending += 1 }

    /// A command is gone, and nothing confirms it.
    mutating func sent() { written += 1 }

    /// A command cannot be written.
    mutating func failed() { (refused, isRoundRefused) = (refused + 1, true) }

    /// The sensor has answered a command. False if no command waits for an answer.
    mutating func answered(isRefusal: Bool) -> Bool {
        guard pending > 0 else { return false }
        pending -= 1
        if isRefusal { failed() } else { written += 1 }
        return true
    }

    mutating func linkEnded() { setUp() }
}
