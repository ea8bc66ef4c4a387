// SPDX-License-Identifier: Apache-2.0

/// Reads of a characteristic that have not been answered yet.
struct ReadTally: Equatable, Sendable {
    private(set) var pending = 0

    mutating func asked() { pending += 1 }

    /// Whether a value, or a failure, ends a read of ours.
    ///
    /// - Parameter isAnswer: It is the answer to a read, and no notification.
    mutating func takes(isAnswer: Bool) -> Bool {
        guard pending > 0, isAnswer else { return false }
        pending -= 1
        return true
    }
}
