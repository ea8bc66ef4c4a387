// SPDX-License-Identifier: Apache-2.0

/// A step of the way to the broker, in this order.
package enum BrokerStep: String, Codable, Sendable, CaseIterable {
    /// The broker's name is looked up.
    case name
    case connect
    case tls
    /// CONNECT was sent.
    case broker
}

/// Why the broker did not answer. The raw values are in docs/provisioning-protocol.md.
package struct BrokerCheckFailure: Error, Equatable, Sendable {
    package enum Reason: String, Codable, Sendable, CaseIterable {
        case noName = "no-name"
        case noConnection = "no-connection"
        case tls
        /// The broker's certificate is not valid.
        case certificate
        /// The certificate is not valid yet, or no longer valid, but by an unreliable clock.
        case clockWrong = "clock-wrong"
        case brokerRefused = "broker-refused"
        case timedOut = "timed-out"
    }

    package var step: BrokerStep
    package var reason: Reason
    /// For a person.
    package var text: String

    package init(_ step: BrokerStep, _ reason: Reason, _ text: String) {
        self.step = step
        self.reason = reason
        self.text = text
    }
}
