// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/inkbird-idt-34c.toml.

import BluetoothCore

extension SensorDefinition {
    static let inkbirdIdt34c: SensorDefinition = {
        var definition = SensorDefinition(key: "ff01", name: "Inkbird IDT-34c", forms: [])
        definition.products = "Inkbird IDT-34c-B"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.characteristic("ff01"), length: 13...13, fields: [])
        form.tolerance = 0
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, octets: 2, kind: .signed)))
        field.unknown = [32766]
        field.allowed = -400...6000
        field.steps = [.operation(.subtract, .number(Field.Decimal(mantissa: 320, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 18, places: 0)))]
        field.places = 1
        field.index = 1
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 2, octets: 2, kind: .signed)))
        field.unknown = [32766]
        field.allowed = -400...6000
        field.steps = [.operation(.subtract, .number(Field.Decimal(mantissa: 320, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 18, places: 0)))]
        field.places = 1
        field.index = 2
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2, kind: .signed)))
        field.unknown = [32766]
        field.allowed = -400...6000
        field.steps = [.operation(.subtract, .number(Field.Decimal(mantissa: 320, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 18, places: 0)))]
        field.places = 1
        field.index = 3
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 6, octets: 2, kind: .signed)))
        field.unknown = [32766]
        field.allowed = -400...6000
        field.steps = [.operation(.subtract, .number(Field.Decimal(mantissa: 320, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 18, places: 0)))]
        field.places = 1
        field.index = 4
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 8, octets: 2, kind: .signed)))
        field.unknown = [32766]
        field.allowed = -400...6000
        field.steps = [.operation(.subtract, .number(Field.Decimal(mantissa: 320, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 18, places: 0)))]
        field.places = 1
        field.index = 5
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed)))
        field.unknown = [32766]
        field.allowed = -400...6000
        field.steps = [.operation(.subtract, .number(Field.Decimal(mantissa: 320, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 18, places: 0)))]
        field.places = 1
        field.index = 6
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
