// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A warning that is given once, and then only after a pause: its cause comes again and again.
struct WarningPace {
    private var next = DispatchTime(uptimeNanoseconds: 0)

    /// It was given lately.
    func isRecent(at now: DispatchTime) -> Bool { now < next }

    /// Whether it may be given now; it then counts as given.
    mutating func take(at now: DispatchTime, pause: DispatchTimeInterval) -> Bool {
        guard now >= next else { return false }
        next = now + pause
        return true
    }
}
