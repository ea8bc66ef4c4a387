// SPDX-License-Identifier: Apache-2.0

/// Unanswered reads of a characteristic.
struct ReadTally: Equatable, Sendable {
    private(set) var pending = 0

    mutating func asked() { pending += 1 }

    /// Whether a value or a failure ends a read of the collector.
    ///
    /// - Parameter isAnswer: The value answers a read, and is no notification.
    mutating func takes(isAnswer: Bool) -> Bool {
        guard pending > 0, isAnswer else { return false }
        pending -= 1
        return true
    }
}
