// SPDX-License-Identifier: Apache-2.0

import Readings

/// An entity of a sensor that Home Assistant knows, for an operator who does not want the entity.
package struct AnnouncedEntity: Equatable, Sendable {
    /// The `<dev>` of topics.
    package let device: String
    let key: EntityKey

    /// As payloads name the entity: `temperature_2`.
    package var name: String { key.text }

    /// All entities of a sensor that this run or an earlier run has announced, by name.
    package static func all(of device: String, in facts: any FactSource) -> [AnnouncedEntity] {
        guard let text = facts.identifier(for: DiscoveryMachine.factKey(of: device)) else { return [] }
        return DiscoveredSensor(text).entities.sorted().map { AnnouncedEntity(device: device, key: $0) }
    }
}
