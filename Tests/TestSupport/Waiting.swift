// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Testing

/// After this long a test hangs. It is no deadline of anything that is tested: a busy machine may take minutes for what
/// takes a moment. The suites' own limit is ten minutes, so a test that hangs says first what it waits for.
package let hangLimit: Duration = .seconds(180)

/// How often a condition is looked at.
private let pace: Duration = .milliseconds(10)

/// A test waited for an event that did not come.
package struct WaitedInVain: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// Looks at a condition again and again until it holds. `time`: shorter where what is tested is that it does not.
///
/// A condition that never holds is recorded with its place: the test would otherwise say nothing but that it took too long. The
/// events that the same test waits for after that are given up soon.
package func eventually(
    within time: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
    at place: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + (time ?? HungTests.limit(hangLimit))
    while true {
        if try condition() { return true }
        // The limit of a suite has cancelled the test: nothing sleeps any more.
        guard ContinuousClock.now < deadline, !Task.isCancelled else {
            if time == nil { HungTests.note(at: place) }
            return false
        }
        try? await Task.sleep(for: pace)
    }
}

/// Waits until `condition` holds, as long as it takes: only a test that hangs is ended, with the name of the event.
///
/// - Parameter what: The event; read when it has not come.
package func waitFor(
    _ what: @autoclosure () -> String, within time: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
    _ condition: () throws -> Bool
) async throws {
    guard try await eventually(within: time ?? hangLimit, condition) else {
        throw WaitedInVain(description: "waited in vain for \(what()) at \(file):\(line)")
    }
}

/// The same as ``eventually(within:isolation:_:)`` where nothing can be awaited; holds up the thread. `limit`: longer,
/// where ``hangLimit`` is not enough.
package func blockingEventually(
    _ limit: Duration = hangLimit, at place: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = ContinuousClock.now + HungTests.limit(max(limit, hangLimit))
    while true {
        if try condition() { return true }
        guard ContinuousClock.now < deadline else {
            HungTests.note(at: place)
            return false
        }
        usleep(10_000)
    }
}

/// Waits until a value stays as it is, and gives it. What comes once too often comes late: a test that counts right after it has
/// seen enough does not notice it.
///
/// On a busy machine something may come after `time`. The test is blind to that then, and fails for nothing else.
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
    /// For what such a test waits after that.
    private static let rest: Duration = .seconds(5)

    static func limit(_ limit: Duration) -> Duration {
        guard let test = Test.current, tests.withLock({ $0.contains(test.id) }) else { return limit }
        return min(limit, rest)
    }

    static func note(at place: SourceLocation) {
        guard let test = Test.current else { return }
        tests.withLock { _ = $0.insert(test.id) }
        Issue.record("what was waited for here did not come", sourceLocation: place)
    }
}
