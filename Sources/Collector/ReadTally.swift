// SPDX-License-Identifier: Apache-2.0

/// Tells answers to reads from notifications. Core Bluetooth reports both by the same call; what helps is that answers
/// come in order, and that a characteristic is only read while nothing is subscribed to on it.
struct ReadTally: Equatable, Sendable {
    private(set) var pending = 0

    mutating func asked() { pending += 1 }

    /// Whether a value, or a failure, is the answer to a read.
    mutating func takes(isNotifying: Bool, failed: Bool) -> Bool {
        guard pending > 0, failed || !isNotifying else { return false }
        pending -= 1
        return true
    }
}
