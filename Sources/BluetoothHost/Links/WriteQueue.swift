// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How often peers may cause new writes of a file.
package struct WritePace: Sendable {
    /// How long a change waits for further changes of its file.
    package let delay: Duration
    /// A file is written this many times in a row, and then once an interval.
    package let burst: Int
    package let interval: Duration

    package init(delay: Duration, burst: Int, interval: Duration) {
        self.delay = delay
        self.burst = max(burst, 1)
        self.interval = interval
    }
}

/// Files to write, and their times: at most one entry a file, whatever happens to the file meanwhile. The writer writes
/// the content at the file's turn, so the newest change wins.
///
/// The queue decides only about the time; the content lies elsewhere. The queue has no clock, lock or disk.
package struct WriteQueue<Key: Hashable & Sendable>: Sendable {
    package enum Urgency: Int, Comparable, Sendable {
        /// Later, within the budget of the file. A peer may cause such changes as often as it likes.
        case later
        case now
        /// Before all other files: something has to be removed.
        case first

        package static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Entry {
        var urgency: Urgency
        var due: MonotonicTime
        let number: UInt64

        func goes(before other: Entry) -> Bool {
            urgency == other.urgency ? number < other.number : urgency > other.urgency
        }
    }

    private let pace: WritePace
    private var entries: [Key: Entry] = [:]
    /// Until when each file's writes are paid for. Past times are removed.
    private var paidUntil: [Key: MonotonicTime] = [:]

    /// New entries have this number or a higher number.
    package private(set) var nextNumber: UInt64 = 0

    package init(pace: WritePace) { self.pace = pace }

    package var count: Int { entries.count }

    /// When the next file is due; nil when none is waiting.
    package var deadline: MonotonicTime? { entries.values.lazy.map(\.due).min() }

    /// The file has to be written. A waiting file keeps its place, and may only become more urgent.
    package mutating func record(_ key: Key, _ urgency: Urgency, at now: MonotonicTime) {
        let due = urgency == .later ? max(now + pace.delay, earliest(key, at: now)) : now
        if let entry = entries[key] {
            entries[key] = Entry(
                urgency: max(entry.urgency, urgency), due: min(entry.due, due), number: entry.number)
        } else {
            entries[key] = Entry(urgency: urgency, due: due, number: nextNumber)
            nextNumber += 1
        }
    }

    /// Takes the file to write now: the most urgent of the due files; among equals, the file that has waited longest.
    package mutating func next(at now: MonotonicTime) -> Key? { take(at: now) { $0.due <= now } }

    /// Takes a file, due or not, from the files noted before `number` with this urgency at least.
    package mutating func next(
        before number: UInt64, atLeast urgency: Urgency = .later, at now: MonotonicTime
    ) -> Key? {
        take(at: now) { $0.number < number && $0.urgency >= urgency }
    }

    private mutating func take(at now: MonotonicTime, where mayGo: (Entry) -> Bool) -> Key? {
        var found: (key: Key, entry: Entry)?
        for (key, entry) in entries where mayGo(entry) {
            if let found, !entry.goes(before: found.entry) { continue }
            found = (key, entry)
        }
        guard let key = found?.key else { return nil }
        entries[key] = nil
        pay(for: key, at: now)
        return key
    }

    private func earliest(_ key: Key, at now: MonotonicTime) -> MonotonicTime {
        guard let paid = paidUntil[key] else { return now }
        let wait = paid - now - pace.interval * (pace.burst - 1)
        return now + max(wait, .zero)
    }

    private mutating func pay(for key: Key, at now: MonotonicTime) {
        paidUntil = paidUntil.filter { $0.value > now }
        // An urgent write may exceed the budget. The debt has a limit.
        paidUntil[key] = min(max(paidUntil[key] ?? now, now) + pace.interval, now + pace.interval * pace.burst)
    }
}
