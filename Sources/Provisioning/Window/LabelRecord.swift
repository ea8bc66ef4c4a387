// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Gateway

/// The passkey on the gateway's label, and what is left of it. The digits stay the same from pairing to pairing, so who
/// records one that succeeds learns them all, and each attempt that fails gives some of them away: they are good for one
/// pairing and ``failureLimit`` failures in all.
package struct LabelRecord: Equatable, Sendable {
    package static let failureLimit = 6

    package enum Condition: String, Codable, Sendable {
        case good
        /// A phone has paired with it.
        case used
        /// Too many attempts have failed, or the record cannot be trusted.
        case void
    }

    package let passkey: Secret
    package private(set) var failures: Int
    package private(set) var condition: Condition
    /// An attempt may be under way. A record that is read from disk like that has failed once more.
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
    /// None can begin any more, and none has.
    mutating func recall() { isAtRisk = false }

    mutating func fail() {
        isAtRisk = false
        failures = min(failures + 1, Self.failureLimit)
        if failures >= Self.failureLimit, condition == .good { condition = .void }
    }

    mutating func succeed() { (isAtRisk, condition) = (false, .used) }
    mutating func makeVoid() { (isAtRisk, condition) = (false, .void) }
}
