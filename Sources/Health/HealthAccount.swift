// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The one account of a gateway's health; a value. Parts name the present conditions, the account names the shown problems.
///
/// The account keeps the beginning of each problem, shows the problem after the delay of its row, keeps it for a second delay
/// after its end, and hides it behind its cause. So a condition faster than these delays makes no surface flap. A problem that
/// returns soon after its end stays for longer.
package struct HealthAccount: Sendable {
    /// A change, for the readers of the account.
    package enum Change: Equatable, Sendable {
        case shown(Problem)
        /// The problem is over, or a consequence of another problem.
        case gone(Problem)
    }

    struct Key: Hashable, Sendable {
        var code: ProblemCode
        var subject: String
    }

    struct Entry: Equatable, Sendable {
        var condition: Condition
        /// The beginning of the condition. All times in milliseconds since boot.
        var since: Int64
        /// The end of the condition; nil while the condition holds.
        var clearedAt: Int64?
        /// Since when no cause hides the entry; nil behind a cause.
        var uncoveredAt: Int64?
        var isShown = false
        /// When the entry was shown first; nil: not yet.
        var shownAt: Int64?
    }

    /// Most entries: devices in the air must not make more.
    static let capacity = 4_096

    /// Milliseconds by which the beginning of one condition may move between two looks.
    static let slack: Int64 = 50_000

    /// Milliseconds of memory for problems after their end.
    static let memory: Int64 = 600_000
    /// The delay after the end of a problem with a return within ``memory``, in seconds.
    static let patienceAfterReturn: Int64 = 120

    private var entries: [Key: Entry] = [:]
    /// The ends of shown problems, within ``memory``.
    private var recent: [Key: Int64] = [:]
    /// Delays count; a test may want to see every change at once.
    private let isPatient: Bool
    /// Remedies name the commands of this installation.
    private let installation: Installation

    package init(isPatient: Bool = true, on installation: Installation = .package) {
        (self.isPatient, self.installation) = (isPatient, installation)
    }

    /// Takes all present conditions.
    ///
    /// - Parameter now: Milliseconds since boot.
    package mutating func judge(_ conditions: [Condition], at now: Int64) -> [Change] {
        var seen: Set<Key> = []
        if entries.count >= 2 * Self.capacity {
            // Moments behind a cause that lasts must not keep new problems out.
            entries = entries.filter { $0.value.clearedAt == nil || $0.value.isShown }
        }
        for condition in conditions {
            let key = Key(code: condition.code, subject: condition.subject)
            guard seen.count < Self.capacity, seen.insert(key).inserted else { continue }
            let began = condition.ageMs.map { now.subtractingSaturated(max(0, $0)) }
            if var entry = entries[key] {
                (entry.condition, entry.clearedAt) = (condition, nil)
                // The word of a busy part is some seconds old. A beginning that moves by less is the same beginning.
                if let began, abs(began.subtractingSaturated(entry.since)) > Self.slack { entry.since = began }
                entries[key] = entry
            } else if entries.count < 2 * Self.capacity {
                entries[key] = Entry(condition: condition, since: began ?? now)
            }
        }
        for (key, entry) in entries where !seen.contains(key) {
            let over = entry.clearedAt ?? now
            // A problem that was never shown is forgotten at once: one that comes and goes is never shown. A moment behind a
            // cause waits for the end of the cause, but an operator expects losses during maintenance.
            let isMaintained = entries[Key(code: .sensorMaintenance, subject: key.subject)] != nil
            let isKept = entry.isShown || ProblemTable.row(key.code).isMoment && !isMaintained
            guard isKept, !isOver(key, entry, over, now) else { continue }
            entries[key]?.clearedAt = over
        }
        var changes: [Change] = []
        for (key, entry) in entries where !seen.contains(key) && entry.clearedAt == nil {
            remove(key, at: now, &changes)
        }
        for (key, entry) in entries where entry.clearedAt.map({ isOver(key, entry, $0, now) }) ?? false {
            remove(key, at: now, &changes)
        }
        cover(at: now, &changes)
        recent = recent.filter { now.subtractingSaturated($0.value) < Self.memory }
        return changes.sorted { Self.order($0.problem, $1.problem) }
    }

    /// The shown problems, the worst first.
    ///
    /// - Parameter now: Milliseconds since boot.
    package func problems(at now: Int64) -> [Problem] {
        entries.filter(\.value.isShown).map { problem($0.key, $0.value, at: now) }.sorted(by: Self.order)
    }

    /// All present problems, shown and hidden.
    package var names: Set<ProblemName> {
        Set(
            entries.keys.map { key in
                ProblemName(key.code, sensor: ProblemTable.row(key.code).part == "sensors" ? key.subject : "")
            })
    }

    private func isOver(_ key: Key, _ entry: Entry, _ clearedAt: Int64, _ now: Int64) -> Bool {
        guard ProblemTable.row(key.code).isMoment, isPatient else { return isLong(clearedAt) }
        // The time of a moment begins when people can see the moment for the first time.
        return entry.shownAt.map { isLong(max($0, clearedAt)) } ?? false

        func isLong(_ from: Int64) -> Bool { now.subtractingSaturated(from) >= patience(key) }
    }

    /// The delay after the end, in milliseconds.
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

    /// Hides consequences, and shows conditions that have lasted for their delay.
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
            guard !entry.isShown, entry.clearedAt == nil || row.isMoment, now.subtractingSaturated(from) >= delay else {
                continue
            }
            entries[key]?.isShown = true
            entries[key]?.shownAt = entry.shownAt ?? now
            changes.append(.shown(problem(key, entry, at: now)))
        }
    }

    private func problem(_ key: Key, _ entry: Entry, at now: Int64) -> Problem {
        var problem = Problem(
            entry.condition, row: ProblemTable.row(key.code), ageMs: max(0, now.subtractingSaturated(entry.since)),
            on: installation)
        if entry.clearedAt != nil, !ProblemTable.row(key.code).isMoment {
            problem.add(ProblemPhrase(.over))
            // Nothing is to be done any more.
            problem.remedy = nil
        }
        return problem
    }

    private static func order(_ one: Problem, _ other: Problem) -> Bool {
        if one.severity != other.severity { return one.severity > other.severity }
        // The problems of one sensor stand together; entries without a sensor come last.
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

    /// The change with another problem.
    package func mapped(_ body: (Problem) -> Problem) -> Self {
        switch self {
        case .shown(let problem): .shown(body(problem))
        case .gone(let problem): .gone(body(problem))
        }
    }
}
