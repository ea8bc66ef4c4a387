// SPDX-License-Identifier: Apache-2.0

import Foundation

/// After this long a test hangs. It is no deadline of anything that is tested: a busy machine may take minutes for what
/// takes a moment.
let hangLimit: Duration = .seconds(600)

/// Looks at a condition again and again until it holds. `time`: shorter where what is tested is that it does not.
func eventually(within time: Duration = hangLimit, _ condition: () throws -> Bool) async rethrows -> Bool {
    let deadline = ContinuousClock.now + time
    while true {
        if try condition() { return true }
        guard ContinuousClock.now < deadline else { return false }
        try? await Task.sleep(for: .milliseconds(10))
    }
}

/// The same where nothing can be awaited; holds up the thread. `limit`: longer, where ``hangLimit`` is not enough.
func blockingEventually(_ limit: Duration = hangLimit, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + max(limit, hangLimit)
    while true {
        if try condition() { return true }
        guard ContinuousClock.now < deadline else { return false }
        usleep(10_000)
    }
}
