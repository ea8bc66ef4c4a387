// SPDX-License-Identifier: Apache-2.0

/// A step of applying settings: the characteristic `Apply` has a line for each (docs/provisioning-protocol.md). The last
/// line has the step `done`, or `rolled-back` after a failed step.
package struct ProgressMessage: Codable, Equatable, Sendable {
    /// In this order, without the steps that the change does not need.
    package enum Step: String, Codable, Sendable, CaseIterable {
        case check, country, associate, address, name, connect, tls, broker, keep
        case done
        case rolledBack = "rolled-back"
    }

    package enum State: String, Codable, Sendable {
        case running, done, failed
    }

    package var step: Step
    package var state: State
    /// A reason of docs/provisioning-protocol.md, after a failure.
    package var reason: String?
    /// The reason for a person.
    package var text: String?
    /// Seconds that the step may still take.
    package var limit: Int?

    package init(_ step: Step, _ state: State, reason: String? = nil, text: String? = nil, limit: Int? = nil) {
        self.step = step
        self.state = state
        self.reason = reason
        self.text = text
        self.limit = limit
    }
}
