// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Platform

/// The pairing with one sensor: the one that goes on, its person, its end, and when the next one may begin by itself.
struct SensorPairing {
    /// Whether the agent will hear of the end of a pairing of ours.
    private enum OwnEnd {
        case none
        case expected
        /// The code that began it has told of it meanwhile.
        case told
    }

    private var task: Task<Void, Never>?
    /// Tells the pairings of one sensor apart.
    private var number = 0
    /// It interrupts a link on which values flow.
    private(set) var interruptsValues = false
    private var ownEnd = OwnEnd.none
    /// The person who wants it paired, at the control socket.
    private(set) var dialogue: PairingDialogue?
    /// The bond that nobody has asked for, and under which no value has come yet.
    var unprovenBond: UUID?
    /// The sensor was collected without a bond in this run.
    var isNotNeeded = false
    /// Between pairings by itself, while they fail; none begins before ``next``.
    private var backoff: Backoff
    private(set) var next: DispatchTime

    init(pauses: ClosedRange<Duration>, next: DispatchTime) {
        backoff = Backoff(pauses)
        self.next = next
    }

    var isUnderway: Bool { task != nil }
    /// The end of a pairing by itself lies far enough back.
    func isDue(at now: DispatchTime) -> Bool { now >= next }

    // MARK: The person

    mutating func begin(_ dialogue: PairingDialogue) { self.dialogue = dialogue }

    /// The person has had the last word, or is gone.
    mutating func endDialogue() { dialogue = nil }

    mutating func fail(_ reason: String) {
        dialogue?.fail(reason)
        dialogue = nil
    }

    // MARK: One pairing

    /// Returns the number of the pairing, which `start` is told.
    mutating func begin(interruptingValues: Bool, _ start: (Int) -> Task<Void, Never>) {
        number += 1
        (interruptsValues, ownEnd) = (interruptingValues, .expected)
        task = start(number)
    }

    /// The result of the pairing of that number is there. False where it is over for another reason.
    mutating func end(_ number: Int) -> Bool {
        guard self.number == number, task != nil else { return false }
        task = nil
        if ownEnd == .expected { ownEnd = .told }
        return true
    }

    /// Nothing was said to the sensor: the agent hears of no end.
    mutating func neverBegan() { ownEnd = .none }

    /// The agent hears of an end. Whether it is of the sensor's own try, and whether it is to be told: ours are told where they
    /// were begun, unless the link has ended before them.
    mutating func agentHears() -> (isSensors: Bool, isToBeTold: Bool) {
        defer { ownEnd = .none }
        return (ownEnd == .none, ownEnd == .none || ownEnd == .expected && task == nil)
    }

    /// The person is gone: the pairing is not wanted any more. Its end is told as always.
    func cancel() { task?.cancel() }

    /// The link is gone, and the pairing with it.
    mutating func forget() {
        task?.cancel()
        task = nil
    }

    // MARK: The next one

    mutating func succeeded(at now: DispatchTime) {
        next = now
        backoff.reset()
    }

    mutating func failed(at now: DispatchTime) {
        let pause = backoff.wait(spread: .random(in: 0.8...1.2))
        next = now + .milliseconds(Int(pause.wholeMilliseconds))
    }
}
