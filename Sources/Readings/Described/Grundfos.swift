// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/grundfos.toml.

import BluetoothCore

extension SensorDefinition {
    static let grundfos: SensorDefinition = {
        var definition = SensorDefinition(key: "grundfos", name: "Grundfos", forms: [])
        definition.products = "Grundfos MI401 (ALPHA Reader)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0xF214), length: 13...19, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x30), .init(mask: 0xFF, value: 0x01)]
        form.counter = OctetNumber(offset: 2)
        field = FormField(.volumeFlow, .octets(OctetNumber(offset: 6, octets: 2)))
        field.factor = Field.Decimal(mantissa: 152592547, places: 12)
        field.places = 4
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 8, octets: 2, kind: .signed)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 32767, places: 0)))]
        field.places = 1
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 12)))
        field.allowed = .min...130
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
