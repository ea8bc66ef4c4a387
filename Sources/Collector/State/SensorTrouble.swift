// SPDX-License-Identifier: Apache-2.0

/// The reasons why a sensor gives no values: a trouble that an operator has to end, and the last failed attempt.
struct SensorTrouble: Equatable, Sendable {
    /// The trouble of the sensor's security, and the remedy.
    private(set) var text: String?
    /// Why the last attempt failed: a link, a set-up, a poll.
    private(set) var failure: String?

    /// An operator has to act. True if the sensor did not have this trouble before.
    @discardableResult
    mutating func record(_ text: String) -> Bool {
        defer { self.text = text }
        return self.text != text
    }

    /// The trouble of the sensor's security is over.
    mutating func settle() { text = nil }

    /// An attempt has failed. True if the last attempt did not fail for this reason.
    @discardableResult
    mutating func failed(_ reason: String) -> Bool {
        defer { failure = reason }
        return failure != reason
    }

    /// An attempt has succeeded.
    mutating func succeeded() { failure = nil }

    /// The set-up of a link has succeeded. A missing value may be missing because of the sensor's security.
    mutating func setUpSucceeded(isComplete: Bool) {
        failure = nil
        if isComplete { text = nil }
    }
}
