// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Platform

/// The pairing with a sensor: the present pairing, its person, its end, and the earliest time of the next automatic
/// pairing.
struct SensorPairing {
    /// Whether the agent will hear of the end of the gateway's own pairing.
    private enum OwnEnd {
        case none
        case expected
        /// The code that began the pairing has reported its end.
        case told
    }

    private var task: Task<Void, Never>?
    /// Distinguishes the pairings of a sensor.
    private var number = 0
    /// The pairing interrupts a link on which values flow.
    private(set) var interruptsValues = false
    private var ownEnd = OwnEnd.none
    /// The person at the control socket who wants the pairing.
    private(set) var dialogue: PairingDialogue?
    /// The bond that no person has asked for, while no value has come under it.
    private(set) var unprovenBond: UUID?
    /// The sensor was collected without a bond in this run.
    private(set) var isNotNeeded = false
    /// Between automatic pairings, while they fail; no automatic pairing begins before ``next``.
    private var backoff: Backoff
    private(set) var next: DispatchTime
    /// The sensor has a private address, and no bond identifies the sensor.
    private(set) var isStranger: Bool

    init(pauses: ClosedRange<Duration>, next: DispatchTime, isStranger: Bool = false) {
        backoff = Backoff(pauses)
        (self.next, self.isStranger) = (next, isStranger)
    }

    /// A bond identifies the sensor from now on.
    mutating func identified() { isStranger = false }

    // MARK: The bond

    /// A bond was made that no person has asked for.
    mutating func bondedUnasked(_ bond: UUID) { unprovenBond = bond }
    /// A value came under the bond, a person has paired, or the bond is gone.
    mutating func bondIsProven() { unprovenBond = nil }
    /// The sensor has given all its values without a bond.
    mutating func wasNotNeeded() { isNotNeeded = true }
    /// A person has paired with the sensor.
    mutating func isNeededAgain() { isNotNeeded = false }

    var isUnderway: Bool { task != nil }
    /// The pause after the last automatic pairing is over.
    func isDue(at now: DispatchTime) -> Bool { now >= next }

    // MARK: The person

    mutating func begin(_ dialogue: PairingDialogue) { self.dialogue = dialogue }

    /// The person has had the last message, or has left.
    mutating func endDialogue() { dialogue = nil }

    mutating func fail(_ reason: String) {
        dialogue?.fail(reason)
        dialogue = nil
    }

    // MARK: A pairing

    /// Passes the number of the pairing to `start`.
    mutating func begin(interruptingValues: Bool, _ start: (Int) -> Task<Void, Never>) {
        number += 1
        (interruptsValues, ownEnd) = (interruptingValues, .expected)
        task = start(number)
    }

    /// The result of the pairing with this number has come. False if the pairing is over for another reason.
    mutating func end(_ number: Int) -> Bool {
        guard self.number == number, task != nil else { return false }
        task = nil
        if ownEnd == .expected { ownEnd = .told }
        return true
    }

    /// The sensor heard nothing, so the agent hears of no end.
    mutating func neverBegan() { ownEnd = .none }

    /// The agent hears of an end. Returns whether the sensor itself began the pairing, and whether to report the end
    /// here. The code that began a pairing of the gateway reports its end, unless the link has ended first.
    mutating func agentHears() -> (isSensors: Bool, isToBeTold: Bool) {
        defer { ownEnd = .none }
        return (ownEnd == .none, ownEnd == .none || ownEnd == .expected && task == nil)
    }

    /// The person has left, so the pairing is no longer wanted. Its end is reported as usual.
    func cancel() { task?.cancel() }

    /// The link is gone, and its pairing as well.
    mutating func forget() {
        task?.cancel()
        task = nil
    }

    // MARK: The next pairing

    mutating func succeeded(at now: DispatchTime) {
        next = now
        backoff.reset()
    }

    /// - Parameter spread: As in ``Backoff/wait(spread:)``.
    mutating func failed(at now: DispatchTime, spread: Double) {
        let pause = backoff.wait(spread: spread)
        next = now + .milliseconds(Int(pause.wholeMilliseconds))
    }
}
