// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/mokobeacon.toml.

import BluetoothCore

extension SensorDefinition {
    static let mokobeacon: SensorDefinition = {
        var definition = SensorDefinition(key: "mokobeacon", name: "MokoBeacon", forms: [])
        definition.products = "MokoSmart beacons with a sensor of acceleration"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.serviceData(0xFF01), length: 13...13, fields: [])
        form.prefix = [.init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00)]
        field = FormField(.battery, .octets(OctetNumber(offset: 0)))
        field.allowed = .min...100
        form.fields.append(field)
        field = FormField(.accelerationX, .octets(OctetNumber(offset: 7, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 980665, places: 8)
        field.allowed = -16000...16000
        field.places = 3
        form.fields.append(field)
        field = FormField(.accelerationY, .octets(OctetNumber(offset: 9, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 980665, places: 8)
        field.allowed = -16000...16000
        field.places = 3
        form.fields.append(field)
        field = FormField(.accelerationZ, .octets(OctetNumber(offset: 11, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 980665, places: 8)
        field.allowed = -16000...16000
        field.places = 3
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
