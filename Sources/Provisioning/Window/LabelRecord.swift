// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Gateway

/// The passkey on the gateway's label, and its remaining attempts. The digits are the same for every pairing. A
/// recorded successful pairing reveals all digits, and each failed attempt reveals some. So the digits are good for one
/// pairing and ``failureLimit`` failures in all.
package struct LabelRecord: Equatable, Sendable {
    package static let failureLimit = 6

    package enum Condition: String, Codable, Sendable {
        case good
        /// A phone has paired with the label's passkey.
        case used
        /// Too many attempts have failed, or the record is not trustworthy.
        case void
    }

    package let passkey: Secret
    package private(set) var failures: Int
    package private(set) var condition: Condition
    /// An attempt may be in progress. A record read from disk in this state counts one more failure.
    package private(set) var isAtRisk: Bool

    package init(passkey: Secret, failures: Int = 0, condition: Condition = .good, isAtRisk: Bool = false) {
        self.passkey = passkey
        self.failures = failures
        self.condition = condition
        self.isAtRisk = isAtRisk
    }

    package var isGood: Bool { condition == .good }
    package var triesLeft: Int { isGood ? Self.failureLimit - failures : 0 }

    /// An attempt may begin from now on.
    mutating func risk() { isAtRisk = true }
    /// No attempt has begun, and none can begin any more.
    mutating func recall() { isAtRisk = false }

    mutating func fail() {
        isAtRisk = false
        failures = min(failures + 1, Self.failureLimit)
        if failures >= Self.failureLimit, condition == .good { condition = .void }
    }

    mutating func succeed() { (isAtRisk, condition) = (false, .used) }
    mutating func makeVoid() { (isAtRisk, condition) = (false, .void) }
}
