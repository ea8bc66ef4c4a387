// SPDX-License-Identifier: Apache-2.0

import Readings

/// The topics on which brokers retain messages about a sensor, for example its availability. The journal keeps them
/// over restarts, because the gateway must clear these messages when the sensor is removed.
package struct RetainedTopics: Sendable {
    private static let prefix = "retained:"

    private let store: any FactStore

    package init(_ store: any FactStore) { self.store = store }

    /// The devices, by topic. A damaged journal may have other texts in the places of topics.
    package static func all(in facts: any FactSource) -> [String: String] {
        facts.identifiers(withPrefix: prefix)
    }

    /// The sensors for which brokers may retain messages.
    package static func sensors(in facts: any FactSource) -> Set<String> {
        Set(all(in: facts).values).subtracting([PublisherMachine.gatewayItself])
    }

    /// Notes that a broker will retain a message about `device`; called before the message is sent.
    func record(_ topic: String, of device: String) { store.setIdentifier(device, for: Self.prefix + topic) }

    /// Notes that the broker no longer retains a message on the topic.
    func forget(_ topic: String) {
        guard store.identifier(for: Self.prefix + topic) != nil else { return }
        store.setIdentifier("", for: Self.prefix + topic)
    }
}
