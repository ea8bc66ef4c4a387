// SPDX-License-Identifier: Apache-2.0

/// The shown problems and their newest changes, for the publisher; a value.
///
/// Changes have numbers. A reader keeps the number of the last told change, and so tells each change once.
package struct ProblemNews: Equatable, Sendable {
    /// A problem was shown, or is gone.
    package struct Event: Equatable, Sendable {
        /// The changes of this run, from 1.
        package var number: UInt64
        package var problem: Problem
        package var isGone: Bool
        /// Milliseconds since boot.
        package var uptimeMs: Int64
    }

    /// Number of changes that wait for a reader without a connection. The oldest changes go first.
    package static let capacity = 256

    /// The worst first.
    package private(set) var problems: [Problem] = []
    /// The time of ``problems``, in milliseconds since boot; nil before the first look.
    package private(set) var uptimeMs: Int64?
    /// The oldest first.
    package private(set) var events: [Event] = []

    package init() {}

    /// The news of a reader that begins after a change, without the changes until then.
    package func after(_ number: UInt64) -> ProblemNews {
        guard number > 0 else { return self }
        var news = self
        news.events.removeAll { $0.number <= number }
        return news
    }

    /// - Parameter now: Milliseconds since boot.
    package mutating func record(_ changes: [HealthAccount.Change], _ problems: [Problem], at now: Int64) {
        (self.problems, uptimeMs) = (problems, now)
        for change in changes {
            let number = (events.last?.number ?? 0) &+ 1
            switch change {
            case .shown(let problem):
                events.append(Event(number: number, problem: problem, isGone: false, uptimeMs: now))
            case .gone(let problem):
                events.append(Event(number: number, problem: problem, isGone: true, uptimeMs: now))
            }
        }
        if events.count > Self.capacity { events.removeFirst(events.count - Self.capacity) }
    }
}
