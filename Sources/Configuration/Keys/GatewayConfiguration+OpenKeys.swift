// SPDX-License-Identifier: Apache-2.0

import Collector
import Readings

extension GatewayConfiguration {
    /// The names of keys that never hold a secret, in no section.
    package static let openKeys: Set<String> = {
        var (names, secrets): (Set<String>, Set<String>) = ([], [])
        for key in sections.flatMap(\.keys) {
            if key.isSecret { secrets.insert(key.name) } else { names.insert(key.name) }
        }
        for key in sensorSection.keys {
            if key.isSecret { secrets.insert(key.name) } else { names.insert(key.name) }
        }
        return names.union(innerKeys).subtracting(secrets)
    }()

    /// Names in the tables of ``SensorRule/Sequence``, of dead bands and of ``SensorLimits``.
    private static let innerKeys = Set(Quantity.allCases.map(\.key))
        .union(["characteristic", "offset", "length", "order", SensorLimits.silenceKey])
        .union(SensorLimits.Bounds.keys)
}
