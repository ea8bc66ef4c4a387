// SPDX-License-Identifier: Apache-2.0

import Glibc

/// After this long a test hangs. It is no deadline of anything that is tested: a busy machine may take minutes for what
/// takes a moment. The suites' own limit is ten minutes, so a test that hangs says first what it waits for.
package let hangLimit: Duration = .seconds(480)

/// How often a condition is looked at.
private let pace: Duration = .milliseconds(10)

/// A test waited for an event that did not come.
package struct WaitedInVain: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// Looks at a condition again and again until it holds. `time`: shorter where what is tested is that it does not.
package func eventually(
    within time: Duration = hangLimit, isolation: isolated (any Actor)? = #isolation,
    _ condition: () throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + time
    while true {
        if try condition() { return true }
        // The limit of a suite has cancelled the test: nothing sleeps any more.
        guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
        try? await Task.sleep(for: pace)
    }
}

/// Waits until `condition` holds, as long as it takes: only a test that hangs is ended, with the name of the event.
///
/// - Parameter what: The event; read when it has not come.
package func waitFor(
    _ what: @autoclosure () -> String, within time: Duration = hangLimit,
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
    _ condition: () throws -> Bool
) async throws {
    guard try await eventually(within: time, condition) else {
        throw WaitedInVain(description: "waited in vain for \(what()) at \(file):\(line)")
    }
}

/// The same as ``eventually(within:isolation:_:)`` where nothing can be awaited; holds up the thread. `limit`: longer,
/// where ``hangLimit`` is not enough.
package func blockingEventually(_ limit: Duration = hangLimit, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + max(limit, hangLimit)
    while true {
        if try condition() { return true }
        guard ContinuousClock.now < deadline else { return false }
        usleep(10_000)
    }
}
