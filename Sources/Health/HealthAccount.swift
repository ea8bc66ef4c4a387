// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The one account of a gateway's health; a value. Parts say which conditions there are, the account says which problems are shown.
///
/// It keeps since when a problem is there, shows it after the delay of its row, keeps it until it was over for a while, and
/// hides it behind its cause. So nothing that comes and goes faster than these delays makes a surface flap. A problem that was gone
/// and is shown again soon stays for longer.
package struct HealthAccount: Sendable {
    /// A change that others are to be told of.
    package enum Change: Equatable, Sendable {
        case shown(Problem)
        /// It is over, or is now known to be a consequence of another problem.
        case gone(Problem)
    }

    struct Key: Hashable, Sendable {
        var code: ProblemCode
        var subject: String
    }

    struct Entry: Equatable, Sendable {
        var condition: Condition
        /// When it began. All times in milliseconds since boot.
        var since: Int64
        /// When it was over; nil while it is there.
        var clearedAt: Int64?
        /// Since when nothing hides it; nil while something does.
        var uncoveredAt: Int64?
        var isShown = false
    }

    /// Entries at most: what is in the air must not make more.
    static let capacity = 4_096

    /// Milliseconds for which a problem that is gone is remembered.
    static let memory: Int64 = 600_000
    /// Seconds for which a problem must be over that had been gone, and came back within ``memory``.
    static let patienceAfterReturn: Int64 = 120

    private var entries: [Key: Entry] = [:]
    /// When shown problems were gone, as far as they are remembered.
    private var recent: [Key: Int64] = [:]
    /// Delays count; a test may want to see everything at once.
    private let isPatient: Bool

    package init(isPatient: Bool = true) { self.isPatient = isPatient }

    /// Takes all conditions that there are now.
    ///
    /// - Parameter now: Milliseconds since boot.
    package mutating func take(_ conditions: [Condition], at now: Int64) -> [Change] {
        var seen: Set<Key> = []
        for condition in conditions {
            let key = Key(code: condition.code, subject: condition.subject)
            guard seen.count < Self.capacity, seen.insert(key).inserted else { continue }
            if var entry = entries[key] {
                (entry.condition, entry.clearedAt) = (condition, nil)
                entries[key] = entry
            } else {
                entries[key] = Entry(condition: condition, since: now)
            }
        }
        for (key, entry) in entries where !seen.contains(key) {
            let over = entry.clearedAt ?? now
            // What nobody was shown is forgotten at once: one that comes and goes never gets as far as that.
            guard entry.isShown, now.subtractingSaturated(over) < patience(key) else { continue }
            entries[key]?.clearedAt = over
        }
        var changes: [Change] = []
        for (key, entry) in entries where !seen.contains(key) && entry.clearedAt == nil {
            remove(key, at: now, &changes)
        }
        for (key, entry) in entries where entry.clearedAt.map({ isOver(key, $0, now) }) ?? false {
            remove(key, at: now, &changes)
        }
        cover(at: now, &changes)
        recent = recent.filter { now.subtractingSaturated($0.value) < Self.memory }
        return changes.sorted { Self.order($0.problem, $1.problem) }
    }

    /// The problems that are shown, the worst first.
    ///
    /// - Parameter now: Milliseconds since boot.
    package func problems(at now: Int64) -> [Problem] {
        entries.filter(\.value.isShown).map { problem($0.key, $0.value, at: now) }.sorted(by: Self.order)
    }

    private func isOver(_ key: Key, _ clearedAt: Int64, _ now: Int64) -> Bool {
        now.subtractingSaturated(clearedAt) >= patience(key)
    }

    /// Milliseconds for which the problem must be over.
    private func patience(_ key: Key) -> Int64 {
        guard isPatient else { return 0 }
        let seconds = ProblemTable.row(key.code).goneAfter
        return (recent[key] == nil ? seconds : max(seconds, Self.patienceAfterReturn)) * 1_000
    }

    private mutating func remove(_ key: Key, at now: Int64, _ changes: inout [Change]) {
        guard let entry = entries.removeValue(forKey: key), entry.isShown else { return }
        if recent.count < Self.capacity { recent[key] = now }
        changes.append(.gone(problem(key, entry, at: now)))
    }

    /// Hides consequences, and shows what was there for long enough.
    private mutating func cover(at now: Int64, _ changes: inout [Change]) {
        for (key, entry) in entries {
            let row = ProblemTable.row(key.code)
            let isCovered = row.causes.contains { cause in
                entries[Key(code: cause, subject: "")] != nil
                    || !key.subject.isEmpty && entries[Key(code: cause, subject: key.subject)] != nil
            }
            guard !isCovered else {
                if entry.isShown { changes.append(.gone(problem(key, entry, at: now))) }
                entries[key]?.uncoveredAt = nil
                entries[key]?.isShown = false
                continue
            }
            let from = entry.uncoveredAt ?? now
            entries[key]?.uncoveredAt = from
            let delay = isPatient ? row.shownAfter * 1_000 : 0
            guard !entry.isShown, entry.clearedAt == nil, now.subtractingSaturated(from) >= delay else { continue }
            entries[key]?.isShown = true
            changes.append(.shown(problem(key, entry, at: now)))
        }
    }

    private func problem(_ key: Key, _ entry: Entry, at now: Int64) -> Problem {
        let row = ProblemTable.row(key.code)
        let arguments = entry.condition.arguments.merging(["subject": key.subject]) { $1 }
        let remedy = row.remedy.map { ProblemRow.filled($0, arguments) }
        return Problem(
            code: key.code, severity: row.severity, part: row.part,
            sensor: row.part == "sensors" ? key.subject : nil,
            title: ProblemRow.filled(row.title, arguments),
            text: ProblemRow.filled(row.text, arguments) + (entry.clearedAt == nil || row.isMoment ? "" : Self.over),
            remedy: remedy.flatMap { $0.isEmpty ? nil : $0 }, ageMs: max(0, now.subtractingSaturated(entry.since)))
    }

    /// Behind the text of a problem that stays for its delay.
    static let over = "; it is over now, and watched for a while"

    private static func order(_ one: Problem, _ other: Problem) -> Bool {
        if one.severity != other.severity { return one.severity > other.severity }
        // What is wrong with one sensor stands together; entries that nothing has answered to come last.
        let (first, second) = (one.code == .sensorAwaited, other.code == .sensorAwaited)
        if first != second { return second }
        let (left, right) = (one.sensor ?? "", other.sensor ?? "")
        if left != right { return left < right }
        return ProblemTable.place(one.code) < ProblemTable.place(other.code)
    }
}

extension HealthAccount.Change {
    package var problem: Problem {
        switch self {
        case .shown(let problem), .gone(let problem): problem
        }
    }
}
