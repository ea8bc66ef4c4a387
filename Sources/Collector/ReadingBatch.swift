// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Readings

/// The readings of a wake-up, which go to the journal together.
struct ReadingBatch {
    /// Limit of readings that go to the journal together: at most the capacity of the journal's smallest queue.
    static let maximum = 100

    /// The next step after a reading was added.
    enum Step: Equatable, Sendable {
        /// The reading is the first of its wake-up: the batch goes at the end of the wake-up.
        case goAtEnd
        case goNow
        case wait
    }

    private var pending: [Reading] = []
    /// Readings handed to the journal since the start.
    private(set) var delivered = 0
    /// Values of a characteristic that the collector did not ask for.
    private(set) var unexpected = 0
    /// Until this time readings of this wake-up may wait for room.
    private var heldUntil: MonotonicTime?
    private var warnings = WarningPace()
    private var indications: UInt64 = 0

    var isEmpty: Bool { pending.isEmpty }
    var count: Int { pending.count }

    mutating func append(_ reading: Reading) -> Step {
        pending.append(reading)
        if pending.count >= Self.maximum { return .goNow }
        return pending.count == 1 ? .goAtEnd : .wait
    }

    mutating func countUnexpected() { unexpected += 1 }
    /// The unique number of an indicated value in this collector.
    mutating func nextIndication() -> UInt64 {
        indications += 1
        return indications
    }

    /// A reading goes to the journal alone.
    mutating func countDelivered() { delivered += 1 }

    /// Removes and returns the readings of this wake-up.
    mutating func take() -> [Reading] {
        delivered += pending.count
        defer { pending.removeAll(keepingCapacity: true) }
        return pending
    }

    /// Whether the log may now have a warning about an indicated value that the disk did not get in time.
    mutating func mayWarnOfIndication(at now: DispatchTime) -> Bool { warnings.spend(at: now, pause: .seconds(60)) }

    /// The time until which this wake-up may wait for room. `isNew`: the wake-up has not waited before, and the caller
    /// calls ``wakeUpEnded()`` at its end.
    mutating func deadline(at now: MonotonicTime, patience: Duration) -> (deadline: MonotonicTime, isNew: Bool) {
        if let heldUntil { return (heldUntil, false) }
        let deadline = now + patience
        heldUntil = deadline
        return (deadline, true)
    }

    mutating func wakeUpEnded() { heldUntil = nil }
}
