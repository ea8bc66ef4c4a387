// SPDX-License-Identifier: Apache-2.0

import Foundation

/// After this long a test hangs. It is no deadline of anything that is tested: a busy machine may take minutes for what
/// takes a moment.
let hangLimit: Duration = .seconds(600)

/// Looks at a condition again and again until it holds, or until ``hangLimit`` or `time`, whichever is later.
func eventually(within time: Duration = hangLimit, _ condition: () throws -> Bool) async rethrows -> Bool {
    let deadline = ContinuousClock.now + max(time, hangLimit)
    while true {
        if try condition() { return true }
        guard ContinuousClock.now < deadline else { return false }
        try? await Task.sleep(for: .milliseconds(10))
    }
}

/// The same where nothing can be awaited; holds up the thread.
func blockingEventually(_ limit: Duration = hangLimit, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + max(limit, hangLimit)
    while true {
        if try condition() { return true }
        guard ContinuousClock.now < deadline else { return false }
        usleep(10_000)
    }
}
