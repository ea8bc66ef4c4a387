// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Readings

/// The readings of one wake-up: they go to the journal together.
struct ReadingBatch {
    /// Readings that go to the journal in one piece at most: no more than the smallest of its queues holds.
    static let maximum = 100

    /// The next step for a reading that was taken.
    enum Step: Equatable, Sendable {
        /// It is the first of its wake-up: the batch goes at the end of that.
        case goAtEnd
        case goNow
        case wait
    }

    private var pending: [Reading] = []
    /// Readings that were handed to the journal since the start.
    private(set) var delivered = 0
    /// Values that came from a characteristic that nothing was asked of.
    private(set) var unexpected = 0
    /// Until then readings of this wake-up may wait for room.
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
    /// The number of an indicated value: no other one of this collector has it.
    mutating func nextIndication() -> UInt64 {
        indications += 1
        return indications
    }

    /// A reading goes to the journal by itself.
    mutating func countDelivered() { delivered += 1 }

    /// Gives the readings of this wake-up away.
    mutating func take() -> [Reading] {
        delivered += pending.count
        defer { pending.removeAll(keepingCapacity: true) }
        return pending
    }

    /// Whether it may be said now that the disk did not get an indicated value in time.
    mutating func mayWarnOfIndication(at now: DispatchTime) -> Bool { warnings.take(at: now, pause: .seconds(60)) }

    /// Until when this wake-up may wait for room. `isNew`: it has not waited before, and ``wakeUpEnded()`` is to be called
    /// at its end.
    mutating func deadline(at now: MonotonicTime, patience: Duration) -> (deadline: MonotonicTime, isNew: Bool) {
        if let heldUntil { return (heldUntil, false) }
        let deadline = now + patience
        heldUntil = deadline
        return (deadline, true)
    }

    mutating func wakeUpEnded() { heldUntil = nil }
}
