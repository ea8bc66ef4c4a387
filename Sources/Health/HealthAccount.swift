// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A gateway's only account of its health; a value. Parts report their conditions, and the account decides which problems are shown.
///
/// The account keeps the start of each problem, shows the problem after its row's delay, and removes it some time after its end.
/// A problem is hidden while its cause is present. Changes faster than these delays never reach a surface.
package struct HealthAccount: Sendable {
    /// A change for the log and other observers.
    package enum Change: Equatable, Sendable {
        case shown(Problem)
        /// The problem has ended, or is now known as a consequence of another.
        case gone(Problem)
    }

    struct Key: Hashable, Sendable {
        var code: ProblemCode
        var subject: String
    }

    struct Entry: Equatable, Sendable {
        var condition: Condition
        /// The start. All times are milliseconds since boot.
        var since: Int64
        /// The end; nil while the problem lasts.
        var clearedAt: Int64?
        /// The time since which no cause hides the problem; nil while a cause does.
        var uncoveredAt: Int64?
        var isShown = false
    }

    /// Maximum of entries, so that devices in the air cannot add entries without bound.
    static let capacity = 4_096

    private var entries: [Key: Entry] = [:]
    /// Whether delays count; a test may show every problem at once.
    private let isPatient: Bool

    package init(isPatient: Bool = true) { self.isPatient = isPatient }

    /// Takes all present conditions.
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
            let patience = isPatient ? ProblemTable.row(key.code).goneAfter * 1_000 : 0
            // What nobody was shown is forgotten at once: one that comes and goes never gets as far as that.
            guard entry.isShown, now.subtractingSaturated(over) < patience else { continue }
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
        return changes.sorted { Self.order($0.problem, $1.problem) }
    }

    /// The shown problems, the worst first.
    ///
    /// - Parameter now: Milliseconds since boot.
    package func problems(at now: Int64) -> [Problem] {
        entries.filter(\.value.isShown).map { problem($0.key, $0.value, at: now) }.sorted(by: Self.order)
    }

    private func isOver(_ key: Key, _ clearedAt: Int64, _ now: Int64) -> Bool {
        now.subtractingSaturated(clearedAt) >= (isPatient ? ProblemTable.row(key.code).goneAfter * 1_000 : 0)
    }

    private mutating func remove(_ key: Key, at now: Int64, _ changes: inout [Change]) {
        guard let entry = entries.removeValue(forKey: key), entry.isShown else { return }
        changes.append(.gone(problem(key, entry, at: now)))
    }

    /// Hides consequences, and shows problems that have outlasted their delay.
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
            title: ProblemRow.filled(row.title, arguments), text: ProblemRow.filled(row.text, arguments),
            remedy: remedy.flatMap { $0.isEmpty ? nil : $0 }, ageMs: max(0, now.subtractingSaturated(entry.since)))
    }

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
