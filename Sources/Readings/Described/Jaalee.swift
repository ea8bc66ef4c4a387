// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/jaalee.toml.

import BluetoothCore

extension SensorDefinition {
    static let jaalee: SensorDefinition = {
        var definition = SensorDefinition(key: "jaalee", name: "Jaalee", forms: [])
        definition.products = "Jaalee JHT (its frame beside the iBeacon)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.serviceData(0xF525), length: 11...11, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 7, octets: 2, isBigEndian: true)), range: 1872 ... .max)]
        form.addressOffset = 1
        form.isAddressReversed = true
        field = FormField(.battery, .octets(OctetNumber(offset: 0)))
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 7, octets: 2, isBigEndian: true)))
        field.allowed = 1872 ... .max
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 175, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 45, places: 0)))]
        field.places = 2
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 9, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 65535, places: 0)))]
        field.places = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0xF51C), length: 12...12, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 7)), range: .min...6)]
        form.addressOffset = 1
        form.isAddressReversed = true
        field = FormField(.battery, .octets(OctetNumber(offset: 0)))
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 8, octets: 2, isBigEndian: true)))
        field.allowed = 1872 ... .max
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 175, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 45, places: 0)))]
        field.places = 2
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 65535, places: 0)))]
        field.places = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0xF525), length: 12...12, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 7)), range: .min...6)]
        form.addressOffset = 1
        form.isAddressReversed = true
        field = FormField(.battery, .octets(OctetNumber(offset: 0)))
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 8, octets: 2, isBigEndian: true)))
        field.allowed = 1872 ... .max
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 175, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 45, places: 0)))]
        field.places = 2
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 65535, places: 0)))]
        field.places = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0xF51C), length: 11...11, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 7, octets: 2, isBigEndian: true)), range: 1872 ... .max)]
        form.addressOffset = 1
        form.isAddressReversed = true
        field = FormField(.battery, .octets(OctetNumber(offset: 0)))
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 7, octets: 2, isBigEndian: true)))
        field.allowed = 1872 ... .max
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 175, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 45, places: 0)))]
        field.places = 2
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 9, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 65535, places: 0)))]
        field.places = 2
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
