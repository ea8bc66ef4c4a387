// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Testing

/// After this time a test counts as hanging. The limit is no deadline for the tested code: a busy machine may need minutes for the work of
/// a moment. The suites' own limit is ten minutes, so a hanging test first names its event.
package let hangLimit: Duration = .seconds(180)

/// How often a condition is looked at.
private let pace: Duration = .milliseconds(10)

/// The pause after a look that took `cost`: what is waited for has the processor for four times as long as a costly look.
private func pause(after cost: Duration) -> Duration { max(pace, min(cost * 4, .milliseconds(200))) }

/// A test's event did not come.
package struct WaitedInVain: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// Checks a condition repeatedly until it holds. `time`: shorter where a test expects the contrary.
///
/// A failed condition is recorded with its place; otherwise the test would report only its time limit. Later waits
/// of this test end soon after that.
package func eventually(
    within time: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
    at place: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + (time ?? HungTests.limit(hangLimit))
    while true {
        let began = ContinuousClock.now
        if try condition() { return true }
        let now = ContinuousClock.now
        // The limit of a suite has cancelled the test: nothing sleeps any more.
        guard now < deadline, !Task.isCancelled else {
            if time == nil { HungTests.record(at: place) }
            return false
        }
        try? await Task.sleep(for: pause(after: now - began))
    }
}

/// Waits until `condition` holds, without a deadline: only a hanging test ends, with the name of the event.
///
/// - Parameter what: The event's name, for the report of a hanging test.
package func waitFor(
    _ what: @autoclosure () -> String, within time: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
    _ condition: () throws -> Bool
) async throws {
    guard try await eventually(within: time ?? hangLimit, condition) else {
        throw WaitedInVain(description: "waited in vain for \(what()) at \(file):\(line)")
    }
}

/// Asks repeatedly until an answer satisfies `condition`, and returns that answer; nil if no answer does within ``hangLimit``. A failed
/// condition is recorded with its place.
///
/// - Parameter pause: Between two questions; longer where a question costs a process.
package func firstAnswer<Answer>(
    every pause: Duration = .milliseconds(10), at place: SourceLocation = #_sourceLocation,
    where condition: (Answer) -> Bool, _ ask: () async throws -> Answer?
) async rethrows -> Answer? {
    let deadline = ContinuousClock.now + HungTests.limit(hangLimit)
    while true {
        if let answer = try await ask(), condition(answer) { return answer }
        guard ContinuousClock.now < deadline, !Task.isCancelled else {
            HungTests.record(at: place)
            return nil
        }
        try? await Task.sleep(for: pause)
    }
}

/// As ``eventually(within:isolation:_:)`` for code that cannot await; blocks the thread. `limit`: longer, where ``hangLimit`` is too short.
package func blockingEventually(
    _ limit: Duration = hangLimit, at place: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = ContinuousClock.now + HungTests.limit(max(limit, hangLimit))
    while true {
        if try condition() { return true }
        guard ContinuousClock.now < deadline else {
            HungTests.record(at: place)
            return false
        }
        usleep(10_000)
    }
}

/// Waits until a value no longer changes, and returns the value. A repeated event comes late: a test that counts as soon as it has
/// seen enough events does not notice the repetition.
///
/// On a busy machine an event may come after `time`. The test then misses the event, but does not fail wrongly.
package func settled<Value: Equatable>(
    for time: Duration = .milliseconds(300), isolation: isolated (any Actor)? = #isolation, _ value: () throws -> Value
) async rethrows -> Value {
    var last = try value()
    var deadline = ContinuousClock.now + time
    let end = ContinuousClock.now + hangLimit
    while ContinuousClock.now < min(deadline, end) {
        try? await Task.sleep(for: pace)
        let next = try value()
        if next != last { (last, deadline) = (next, ContinuousClock.now + time) }
    }
    return last
}

/// The tests in which something was waited for in vain.
private enum HungTests {
    private static let tests = Mutex<Set<Test.ID>>([])
    /// The limit of further waits in such a test.
    private static let rest: Duration = .seconds(5)

    static func limit(_ limit: Duration) -> Duration {
        guard let test = Test.current, tests.withLock({ $0.contains(test.id) }) else { return limit }
        return min(limit, rest)
    }

    static func record(at place: SourceLocation) {
        guard let test = Test.current else { return }
        tests.withLock { _ = $0.insert(test.id) }
        Issue.record("what was waited for here did not come", sourceLocation: place)
    }
}
