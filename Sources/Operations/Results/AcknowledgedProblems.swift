// SPDX-License-Identifier: Apache-2.0

/// The answer of `martlet acknowledge`.
package struct AcknowledgedProblems: Codable, Equatable, Sendable {
    /// By their names: `sensor-silent:fridge`.
    package var problems: [String]
    /// Nil: until they are over.
    package var forMs: Int64?
    /// The acknowledgement was taken back.
    package var isEnded: Bool?

    package init(problems: [String], forMs: Int64?, isEnded: Bool?) {
        (self.problems, self.forMs, self.isEnded) = (problems, forMs, isEnded)
    }
}
