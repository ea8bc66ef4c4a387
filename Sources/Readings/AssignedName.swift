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

    /// All decoded characteristics, by their names in lower case with `_` for all other characters: `true_wind_speed`.
    package static let characteristics: [String: UInt16] = Dictionary(
        Decoders.table.filter { !Decoders.isOfSomeMakers($0.characteristic) }.compactMap { entry in
            UInt16(entry.characteristic, radix: 16).map { (written(entry.name), $0) }
        }
    ) { first, _ in first }

    /// Text characteristics, which are shown and not decoded.
    private static let texts: [BluetoothUUID: String] = [
        0x2A00: "device_name", 0x2A24: "model_number_string", 0x2A25: "serial_number_string",
        0x2A26: "firmware_revision_string", 0x2A27: "hardware_revision_string", 0x2A28: "software_revision_string",
        0x2A29: "manufacturer_name_string",
    ]

    private static func written(_ name: String) -> String {
        name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "_")
    }

    /// `heart_rate`; nil for a UUID without a name here.
    package static func name(ofService uuid: BluetoothUUID) -> String? {
        services.first { BluetoothUUID($0.value) == uuid }?.key
    }

    package static func name(ofCharacteristic uuid: BluetoothUUID) -> String? {
        characteristics.first { BluetoothUUID($0.value) == uuid }?.key ?? texts[uuid]
    }

    /// For people: `heart_rate (180D)`, or the UUID alone without a name here.
    package static func service(_ uuid: BluetoothUUID) -> String {
        let name = services.first { BluetoothUUID($0.value) == uuid }?.key
        return name.map { "\($0) (\(uuid))" } ?? uuid.description
    }
}
