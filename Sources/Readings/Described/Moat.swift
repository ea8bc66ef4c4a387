// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/moat.toml.

import BluetoothCore

extension SensorDefinition {
    static let moat: SensorDefinition = {
        var definition = SensorDefinition(key: "moat", name: "Moat", forms: [])
        definition.products = "Moat S2 thermometers and hygrometers"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.serviceData(0x1000), length: 18...18, fields: [])
        form.prefix = [.init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0xFF), .init(mask: 0xFF, value: 0xFF)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2681274414, places: 12))), .operation(.subtract, .number(Field.Decimal(mantissa: 4685, places: 2)))]
        field.places = 2
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 12, octets: 2)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 125, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 65536, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 6, places: 0))), .operation(.atLeast, .number(Field.Decimal(mantissa: 0, places: 0))), .operation(.atMost, .number(Field.Decimal(mantissa: 100, places: 0)))]
        field.places = 2
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 14, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.allowed = 1500...3700
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
