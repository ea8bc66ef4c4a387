// SPDX-License-Identifier: Apache-2.0

import Readings

/// The topics on which brokers retain what is said of a sensor, its availability for one, kept in the journal over restarts: what the gateway has said
/// there must be taken back when the sensor is removed.
package struct RetainedTopics: Sendable {
    private static let prefix = "retained:"

    private let store: any FactStore

    package init(_ store: any FactStore) { self.store = store }

    /// The devices, by topic.
    package static func all(in facts: any FactSource) -> [String: String] {
        facts.identifiers(withPrefix: prefix)
    }

    /// The sensors that brokers may retain something of.
    package static func sensors(in facts: any FactSource) -> Set<String> {
        Set(all(in: facts).values).subtracting([PublisherMachine.gatewayItself])
    }

    /// Notes that a broker will retain what is said of `device`; to be called before that is sent.
    func note(_ topic: String, of device: String) { store.setIdentifier(device, for: Self.prefix + topic) }

    /// Notes that the broker retains nothing on the topic any more.
    func forget(_ topic: String) {
        guard store.identifier(for: Self.prefix + topic) != nil else { return }
        store.setIdentifier("", for: Self.prefix + topic)
    }
}
