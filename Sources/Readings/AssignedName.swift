// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Names that may be written instead of UUIDs. Assigned Numbers, 3.4 and 3.8.
package enum AssignedName {
    package static let services: [String: UInt16] = [
        "battery_service": 0x180F, "blood_pressure": 0x1810, "body_composition": 0x181B, "cycling_power": 0x1818,
        "cycling_speed_and_cadence": 0x1816, "device_information": 0x180A, "environmental_sensing": 0x181A,
        "glucose": 0x1808, "health_thermometer": 0x1809, "heart_rate": 0x180D, "pulse_oximeter": 0x1822,
        "running_speed_and_cadence": 0x1814, "weight_scale": 0x181D,
    ]

    /// All that are decoded, by their names in lower case with `_` for everything else: `true_wind_speed`.
    package static let characteristics: [String: UInt16] = Dictionary(
        Decoders.table.compactMap { entry in
            UInt16(entry.characteristic, radix: 16).map { (written(entry.name), $0) }
        }
    ) { first, _ in first }

    private static func written(_ name: String) -> String {
        name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "_")
    }

    /// `heart_rate`; nil for what has no name here.
    package static func name(ofService uuid: BluetoothUUID) -> String? {
        services.first { BluetoothUUID($0.value) == uuid }?.key
    }

    package static func name(ofCharacteristic uuid: BluetoothUUID) -> String? {
        characteristics.first { BluetoothUUID($0.value) == uuid }?.key
    }

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

    private static let families = [
        "environmental_sensing", "health_thermometer", "heart_rate", "weight_scale", "body_composition",
        "blood_pressure",
        "pulse_oximeter", "cycling_power", "cycling_speed_and_cadence", "running_speed_and_cadence", "battery_service",
    ]

    /// All that is known of a family, as an entry of the configuration names it.
    package static func subscriptions(of family: String) -> [String] {
        let characteristics =
            switch family {
            case "environmental_sensing": ["temperature", "humidity", "pressure"]
            case "health_thermometer": ["temperature_measurement"]
            case "heart_rate": ["heart_rate_measurement"]
            case "weight_scale": ["weight_measurement"]
            case "body_composition": ["body_composition_measurement"]
            case "blood_pressure": ["blood_pressure_measurement"]
            case "pulse_oximeter": ["plx_continuous_measurement"]
            case "cycling_power": ["cycling_power_measurement"]
            case "cycling_speed_and_cadence": ["csc_measurement"]
            case "running_speed_and_cadence": ["rsc_measurement"]
            case "battery_service": ["battery_level"]
            default: [String]()
            }
        return characteristics.map { "\(family)/\($0)" }
    }
}
