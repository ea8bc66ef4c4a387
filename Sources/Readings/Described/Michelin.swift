// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/michelin.toml.

import BluetoothCore

extension SensorDefinition {
    static let michelin: SensorDefinition = {
        var definition = SensorDefinition(key: "michelin", name: "Michelin TMS", forms: [])
        definition.products = "Michelin tyre sensors (TMS)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x0828), length: 14...14, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [3, 4])]
        form.counter = OctetNumber(offset: 10, octets: 4)
        field = FormField(.temperature, .octets(OctetNumber(offset: 2)))
        field.add = Field.Decimal(mantissa: -60, places: 0)
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 3)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 4, octets: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
