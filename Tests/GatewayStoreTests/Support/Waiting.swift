// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Looks at a condition again and again until it holds. The time ends a test that hangs, and nothing else: a busy machine
/// may take minutes for what takes a moment.
func eventually(within time: Duration = .seconds(600), _ condition: () throws -> Bool) async rethrows -> Bool {
    let deadline = ContinuousClock.now + time
    while true {
        if try condition() { return true }
        guard ContinuousClock.now < deadline else { return false }
        try? await Task.sleep(for: .milliseconds(10))
    }
}
