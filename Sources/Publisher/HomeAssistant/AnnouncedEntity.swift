// SPDX-License-Identifier: Apache-2.0

import Readings

/// An entity of a sensor that Home Assistant was told of, for an operator who does not want it.
package struct AnnouncedEntity: Equatable, Sendable {
    /// The `<dev>` of topics.
    package let device: String
    let key: EntityKey

    /// As payloads name it: `temperature_2`.
    package var name: String { key.text }

    /// All of a sensor that this run or an earlier one has told of, by their names.
    package static func all(of device: String, in facts: any FactSource) -> [AnnouncedEntity] {
        guard let text = facts.identifier(for: DiscoveryMachine.factKey(of: device)) else { return [] }
        return DiscoveredSensor(text).entities.sorted().map { AnnouncedEntity(device: device, key: $0) }
    }
}
