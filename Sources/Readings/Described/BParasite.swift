// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/b-parasite.toml.

import BluetoothCore

extension SensorDefinition {
    static let bParasite: SensorDefinition = {
        var definition = SensorDefinition(key: "b-parasite", name: "b-parasite", forms: [])
        definition.products = "b-parasite with firmware of its first versions; newer ones send BTHome"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.record, length: 10...10, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0x10)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32768, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65536, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.moisture, .octets(OctetNumber(offset: 8, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32768, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65536, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 2, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 12...12, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0x10)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32768, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65536, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.moisture, .octets(OctetNumber(offset: 8, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32768, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65536, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 2, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        field = FormField(.illuminance, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 10...10, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0x20)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32768, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65536, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.moisture, .octets(OctetNumber(offset: 8, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32768, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65536, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 2, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 12...12, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0x20)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32768, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65536, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.moisture, .octets(OctetNumber(offset: 8, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32768, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65536, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 2, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        field = FormField(.illuminance, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
