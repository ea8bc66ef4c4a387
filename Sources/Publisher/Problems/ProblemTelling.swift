// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health

/// Which problems and changes the broker has been told of; a value.
struct ProblemTelling {
    /// A text may count something, and so change with each look. Texts alone are no reason to tell more often than this.
    static let textInterval: Duration = .seconds(60)

    /// The number of the last change that was told.
    private(set) var toldEvent: UInt64 = 0
    /// The list as last told on this connection, with beginnings instead of ages; nil before the first list.
    private var told: [Problem]?
    /// The time of the last look at the account: the account is compared once for each look.
    private var seenAt: Int64?
    private var nextTexts = MonotonicTime.zero

    /// A connection begins: the list is news there, and untold changes are told.
    mutating func begin() { repeatList() }

    /// The receiver may have lost the list, so the next call tells it again.
    mutating func repeatList() { (told, seenAt) = (nil, nil) }

    /// Whether the list is news. If so, the list counts as told.
    mutating func recordList(_ news: ProblemNews, at now: MonotonicTime) -> Bool {
        guard let uptime = news.uptimeMs, uptime != seenAt else { return false }
        seenAt = uptime
        let list = news.problems.map { problem in
            var problem = problem
            problem.ageMs = uptime.subtractingSaturated(problem.ageMs)
            return problem
        }
        if let told, told == list || Self.isSame(told, list) && now < nextTexts { return false }
        (told, nextTexts) = (list, now + Self.textInterval)
        return true
    }

    /// The lists differ in texts alone.
    private static func isSame(_ one: [Problem], _ other: [Problem]) -> Bool {
        one.count == other.count
            && zip(one, other).allSatisfy {
                $0.code == $1.code && $0.sensor == $1.sensor && $0.ageMs == $1.ageMs && $0.severity == $1.severity
            }
    }

    /// The oldest change that was not told.
    func nextEvent(_ news: ProblemNews) -> ProblemNews.Event? {
        guard let last = news.events.last, last.number > toldEvent else { return nil }
        return news.events.first { $0.number > toldEvent }
    }

    mutating func told(_ event: ProblemNews.Event) { toldEvent = max(toldEvent, event.number) }
}
