// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/april-brother.toml.

import BluetoothCore

extension SensorDefinition {
    static let aprilBrother: SensorDefinition = {
        var definition = SensorDefinition(key: "april-brother", name: "April Brother", forms: [])
        definition.products = "April Brother N03 (ABSensor); the N07 sends BTHome"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.serviceData(0xFE59), length: 15...15, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xAB), .init(mask: 0xFF, value: 0x03)]
        form.addressOffset = 2
        field = FormField(.battery, .octets(OctetNumber(offset: 8)))
        field.allowed = .min...100
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 9, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 125, places: 3)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 11, octets: 2)))
        field.factor = Field.Decimal(mantissa: 5, places: 1)
        form.fields.append(field)
        field = FormField(.illuminance, .octets(OctetNumber(offset: 13, octets: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
