// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A warning that is given once, and again only after a pause, because its cause comes again and again.
struct WarningPace {
    private var next = DispatchTime(uptimeNanoseconds: 0)

    /// The warning was given lately.
    func isRecent(at now: DispatchTime) -> Bool { now < next }

    /// Whether the warning may be given now. If so, it counts as given.
    mutating func spend(at now: DispatchTime, pause: DispatchTimeInterval) -> Bool {
        guard now >= next else { return false }
        next = now + pause
        return true
    }
}
