// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform

/// The broker's quota is used up: nothing is sent for a while, longer each time.
struct QuotaPause: Sendable {
    private var backoff = Backoff(.seconds(1)...(.seconds(60)))
    /// When sending may continue; nil without a pause.
    private(set) var end: MonotonicTime?
    private var pauses = 0

    /// - Parameter spread: As in ``Backoff/wait(spread:)``.
    /// - Returns: The length of the pause, if worth a line in the log: the first pause, then at doubling distances.
    mutating func begin(at now: MonotonicTime, spread: Double) -> Duration? {
        guard end == nil else { return nil }  // messages in flight together are refused together
        let wait = backoff.wait(spread: spread)
        end = now + wait
        pauses += 1
        return pauses & (pauses - 1) == 0 ? wait : nil
    }

    /// Whether the pause continues. It also lasts until all messages in flight are answered, so that refused messages
    /// do not overtake accepted messages.
    mutating func isOn(at now: MonotonicTime, isIdle: Bool) -> Bool {
        guard let end else { return false }
        guard now >= end, isIdle else { return true }
        self.end = nil
        return false
    }

    /// The broker accepted a message.
    mutating func succeeded() {
        guard pauses > 0, end == nil else { return }
        pauses = 0
        backoff.reset()
    }
}
