// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/bluemaestro.toml.

import BluetoothCore

extension SensorDefinition {
    static let bluemaestro: SensorDefinition = {
        var definition = SensorDefinition(key: "bluemaestro", name: "Blue Maestro", forms: [])
        definition.products = "Tempo Disc T, THD and THPD, Pebble"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x0133), length: 10...253, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x0D)]
        form.tolerance = 1
        field = FormField(.temperature, .octets(OctetNumber(offset: 6, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = -500...1500
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x0133), length: 14...253, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [22, 23])]
        form.tolerance = 1
        field = FormField(.temperature, .octets(OctetNumber(offset: 6, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = -500...1500
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 8, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        field = FormField(.dewpoint, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x0133), length: 14...253, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x1B)]
        form.tolerance = 1
        field = FormField(.temperature, .octets(OctetNumber(offset: 6, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = -500...1500
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 8, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x0133), length: 14...253, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01)]
        form.tolerance = 1
        field = FormField(.temperature, .octets(OctetNumber(offset: 3, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = -500...1500
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 7)))
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 8, octets: 2)))
        field.allowed = 300...1200
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
