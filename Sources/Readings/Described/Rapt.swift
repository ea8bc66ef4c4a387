// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/rapt.toml.

import BluetoothCore

extension SensorDefinition {
    static let rapt: SensorDefinition = {
        var definition = SensorDefinition(key: "rapt", name: "RAPT Pill", forms: [])
        definition.products = "RAPT Pill"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x4152), length: 23...23, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x50), .init(mask: 0xFF, value: 0x54), .init(mask: 0xFF, value: 0x01)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 9, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 64, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 128, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 27315, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.specificGravity, .octets(OctetNumber(offset: 11, octets: 4, kind: .float, isBigEndian: true)))
        field.allowed = 500...2000
        field.steps = [.operation(.divide, .number(Field.Decimal(mantissa: 1000, places: 0)))]
        field.places = 4
        form.fields.append(field)
        field = FormField(.accelerationX, .octets(OctetNumber(offset: 15, octets: 2, kind: .signed, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 1600000, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 1000, places: 0)))]
        form.fields.append(field)
        field = FormField(.accelerationY, .octets(OctetNumber(offset: 17, octets: 2, kind: .signed, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 1600000, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 1000, places: 0)))]
        form.fields.append(field)
        field = FormField(.accelerationZ, .octets(OctetNumber(offset: 19, octets: 2, kind: .signed, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 1600000, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 1000, places: 0)))]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 21, octets: 2, isBigEndian: true)))
        field.unknownAbove = 25600
        field.steps = [.operation(.add, .number(Field.Decimal(mantissa: 128, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 256, places: 0)))]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x4152), length: 23...23, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x50), .init(mask: 0xFF, value: 0x54), .init(mask: 0xFF, value: 0x02)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 9, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 64, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 128, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 27315, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.specificGravity, .octets(OctetNumber(offset: 11, octets: 4, kind: .float, isBigEndian: true)))
        field.allowed = 500...2000
        field.steps = [.operation(.divide, .number(Field.Decimal(mantissa: 1000, places: 0)))]
        field.places = 4
        form.fields.append(field)
        field = FormField(.gravityRate, .octets(OctetNumber(offset: 5, octets: 4, kind: .float, isBigEndian: true)))
        field.allowed = -1000...1000
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [0], isNegated: true)]
        field.steps = [.operation(.divide, .number(Field.Decimal(mantissa: 1000, places: 0)))]
        field.places = 4
        form.fields.append(field)
        field = FormField(.accelerationX, .octets(OctetNumber(offset: 15, octets: 2, kind: .signed, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 1600000, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 1000, places: 0)))]
        form.fields.append(field)
        field = FormField(.accelerationY, .octets(OctetNumber(offset: 17, octets: 2, kind: .signed, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 1600000, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 1000, places: 0)))]
        form.fields.append(field)
        field = FormField(.accelerationZ, .octets(OctetNumber(offset: 19, octets: 2, kind: .signed, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 1600000, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 1000, places: 0)))]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 21, octets: 2, isBigEndian: true)))
        field.unknownAbove = 25600
        field.steps = [.operation(.add, .number(Field.Decimal(mantissa: 128, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 256, places: 0)))]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
