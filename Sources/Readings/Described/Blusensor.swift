// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/blusensor.toml.

import BluetoothCore

extension SensorDefinition {
    static let blusensor: SensorDefinition = {
        var definition = SensorDefinition(key: "blusensor", name: "bluSensor", forms: [])
        definition.products = "Almendo bluSensor Mini (AIQ)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x06E8), length: 16...16, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x0A)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 7, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = -4000...8500
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 9, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = .min...10000
        form.fields.append(field)
        field = FormField(.co2, .octets(OctetNumber(offset: 11, octets: 2)))
        field.allowed = .min...20000
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
