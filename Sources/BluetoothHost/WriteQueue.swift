// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How often a file is written again because of what peers do.
package struct WritePace: Sendable {
    /// How long a change waits for others of the same file.
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

/// Which files have to be written, and when: at most one entry a file, whatever happens to the file meanwhile. The writer
/// writes what holds when a file's turn comes, so the newest change wins.
///
/// The queue says when; what is written lies elsewhere. No clock, lock or disk in it.
package struct WriteQueue<Key: Hashable & Sendable>: Sendable {
    package enum Urgency: Int, Comparable, Sendable {
        /// Later, within the budget of the file: a peer may bring this about as often as it likes.
        case later
        case now
        /// Before all others: something has to be gone.
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
    /// Until when the writes of a file are paid for; what has passed is left out.
    private var paidUntil: [Key: MonotonicTime] = [:]

    /// Entries from now on have this number or a higher one.
    package private(set) var nextNumber: UInt64 = 0

    package init(pace: WritePace) { self.pace = pace }

    package var count: Int { entries.count }

    /// When the next file is due; nil when none is waiting.
    package var deadline: MonotonicTime? { entries.values.lazy.map(\.due).min() }

    /// The file has to be written. Where it waits already, it keeps its place, and may only become more urgent.
    package mutating func note(_ key: Key, _ urgency: Urgency, at now: MonotonicTime) {
        let due = urgency == .later ? max(now + pace.delay, earliest(key, at: now)) : now
        if let entry = entries[key] {
            entries[key] = Entry(
                urgency: max(entry.urgency, urgency), due: min(entry.due, due), number: entry.number)
        } else {
            entries[key] = Entry(urgency: urgency, due: due, number: nextNumber)
            nextNumber += 1
        }
    }

    /// Takes the file that is to be written now: of those that are due the most urgent, and of these the one that has
    /// waited longest.
    package mutating func next(at now: MonotonicTime) -> Key? { take(at: now) { $0.due <= now } }

    /// The same, whether it is due or not, of those that are at least so urgent and were noted before `number`.
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
        // What has to be written at once may cost more than there is; the debt has a limit.
        paidUntil[key] = min(max(paidUntil[key] ?? now, now) + pace.interval, now + pace.interval * pace.burst)
    }
}
