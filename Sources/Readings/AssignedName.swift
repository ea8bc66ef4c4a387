// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Names that may be written instead of UUIDs. Assigned Numbers, 3.4 and 3.8.
package enum AssignedName {
    package static let services: [String: UInt16] = [
        "battery_service": 0x180F, "device_information": 0x180A, "environmental_sensing": 0x181A,
        "health_thermometer": 0x1809, "heart_rate": 0x180D,
    ]

    package static let characteristics: [String: UInt16] = [
        "battery_level": 0x2A19, "heart_rate_measurement": 0x2A37, "humidity": 0x2A6F, "pressure": 0x2A6D,
        "temperature": 0x2A6E, "temperature_measurement": 0x2A1C,
    ]

    /// For people: `heart_rate (180D)`, or the UUID of what has no name here.
    package static func service(_ uuid: BluetoothUUID) -> String {
        let name = services.first { BluetoothUUID($0.value) == uuid }?.key
        return name.map { "\($0) (\(uuid))" } ?? uuid.description
    }
}

extension AssignedName {
    /// What a device is that advertises these services: what it measures goes before what most have.
    package static func family(of services: [BluetoothUUID]) -> String? {
        families.first { family in
            services.contains { uuid in
                Self.services[family].map { BluetoothUUID($0) == uuid } ?? false
            }
        }
    }

    private static let families = ["environmental_sensing", "health_thermometer", "heart_rate", "battery_service"]

    /// All that is known of a family, as an entry of the configuration names it.
    package static func subscriptions(of family: String) -> [String] {
        let characteristics =
            switch family {
            case "environmental_sensing": ["temperature", "humidity", "pressure"]
            case "health_thermometer": ["temperature_measurement"]
            case "heart_rate": ["heart_rate_measurement"]
            case "battery_service": ["battery_level"]
            default: [String]()
            }
        return characteristics.map { "\(family)/\($0)" }
    }
}
