// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Readings

/// Parts of the journal's state, each by itself.
@Suite("Parts of the journal")
struct JournalPartsTests {
    private func readings(_ numbers: Range<Int16>) -> [Reading] { numbers.map { Sample.temperature($0) } }
    private func at(_ seconds: Int64) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test func `a queue takes what it has room for, and counts the rest`() {
        var queue = BatchQueue()
        let dropped = [readings(0..<3), readings(3..<6)].map { queue.add($0, capacity: 5, completion: { _ in }) }
        #expect(dropped == [0, 1])
        #expect(queue.pending == 5)
        #expect(queue.waitingCount.isAwaited && queue.waiting.completions.count == 1, "one of the others was dropped")
        #expect(queue.waiting.losses[.queueFull]?.values.reduce(0, +) == 1)
        _ = queue.take()
        #expect(queue.pending == 5 && queue.waiting.isEmpty, "what is being written takes room, too")
        let more = queue.add(readings(6..<7), capacity: 5, completion: nil)
        #expect(more == 1)
    }

    @Test func `a transaction that failed goes again before what came since`() {
        var queue = BatchQueue()
        _ = queue.add(readings(0..<2), capacity: 9, completion: nil)
        queue.change { $0.acknowledged.insert(1...2) }
        _ = queue.take()
        _ = queue.add(readings(2..<3), capacity: 9, completion: nil)
        queue.change { $0.acknowledged.insert(9...9) }
        #expect(queue.settled.contains(1) && queue.settled.contains(9))
        queue.putBack()
        #expect(queue.waiting.readings.map(\.value) == readings(0..<3).map(\.value))
        #expect(queue.writing.isEmpty && queue.settled.contains(2))
        _ = queue.take()
        queue.wrote(rest: JournalState.Batch())
        #expect(queue.pending == 0 && !queue.settled.contains(1))
    }

    @Test func `an end loses what waits, and says who waited`() {
        var queue = BatchQueue()
        _ = queue.add(readings(0..<2), capacity: 9, completion: { _ in })
        queue.inherit([.closed: ["x": 2]])
        let lost = queue.loseEverything()
        #expect(lost.completions.count == 1 && queue.pending == 0)
        #expect(lost.losses[.closed] == ["x": 2])
        #expect(lost.losses[.stopped]?.values.reduce(0, +) == 2)
    }

    @Test func `the books count what waits, and what is wrong`() {
        var books = JournalBooks(path: "journal.db")
        var queue = BatchQueue()
        _ = queue.add(readings(0..<3), capacity: 2, completion: nil)
        queue.change { $0.gaps["a"] = 4 }
        let current = books.current(with: queue)
        #expect(current.waiting == 2 && current.received == 3 && current.missing == 4)
        #expect(current.dropped[DropReason.queueFull.rawValue] == 1)
        #expect(current.received == current.delivered + current.buffered + current.waiting + 1)
        let said = [books.recordOpening(), books.recordOpening()]
        #expect(said == [true, false])
        let full = JournalError.full(path: "journal.db")
        let news = [full, full].map { books.record($0) }
        #expect(news == [true, false])
        books.replace(JournalStatistics(path: "journal.db"))
        let kept = books.current(with: queue)
        #expect(kept.problem == "\(full)" && kept.isFull == true, "opening does not mend a disk")
        let damage = books.record(.corrupt(path: "journal.db", reason: "an octet"))
        #expect(damage && books.current(with: queue).isFull == false)
        let found = [books.counted(0), books.counted(5), books.counted(6)]
        #expect(found == [false, true, false])
        #expect(books.onDisk.buffered == 6)
    }

    @Test func `a full queue holds up callers until a disk takes nothing for too long`() {
        var callers = HeldCallers()
        func isHeld(_ second: Int64, hasRoom: Bool = false, isFailing: Bool = false) -> Bool {
            let waiter = callers.hold(hasRoom: hasRoom, isFailing: isFailing, patience: .seconds(5), at: at(second))
            if let waiter { callers.giveUp(waiter.0) }
            return waiter != nil
        }
        let held = [isHeld(0), isHeld(4), isHeld(5)]
        #expect(held == [true, true, false])
        callers.wrote(tookReadings: false)
        let isStillHeld = isHeld(6)
        #expect(!isStillHeld)
        callers.wrote(tookReadings: true)
        let after = [
            isHeld(6), isHeld(7, isFailing: true), isHeld(7, hasRoom: true), isHeld(12), isHeld(16), isHeld(17),
        ]
        #expect(after == [true, false, false, true, true, false])
        callers.wrote(tookReadings: true)
        callers.end()
        let isHeldAtTheEnd = isHeld(20)
        #expect(!isHeldAtTheEnd && !callers.holdsBack && callers.isEmpty)
    }

    @Test func `whoever waits for the opening is called once, and not after the end`() {
        var life = JournalLife()
        let isOpen = life.whenOpen {}
        #expect(!isOpen)
        #expect(life.opened().count == 1)
        #expect(life.opened().isEmpty)
        let isOpenNow = life.whenOpen {}
        #expect(isOpenNow)
        var other = JournalLife()
        _ = other.whenOpen {}
        other.close()
        _ = other.whenOpen {}
        #expect(other.opened().isEmpty)
    }

    @Test func `a long copy is cut short for a stop, and then there is no last commit`() {
        var life = JournalLife()
        let early = life.cutsShort()
        life.hurry()
        let late = life.cutsShort()
        let mayCommit = life.beginClosing()
        #expect([early, late, mayCommit] == [false, true, false])
        var quick = JournalLife()
        quick.hurry()
        let mayCommitToo = quick.beginClosing()
        #expect(mayCommitToo)
    }
}
