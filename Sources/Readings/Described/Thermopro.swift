// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/thermopro.toml.

import BluetoothCore

extension SensorDefinition {
    static let thermopro: SensorDefinition = {
        var definition = SensorDefinition(key: "thermopro", name: "ThermoPro", forms: [])
        definition.products = "TP350, TP357, TP358, TP359, TP393 and their kin, TP960R, TP962R, TP972S"
        definition.hint = "Each probe has two temperatures (tip and surroundings) and the voltage of its battery. A probe with four places has the middle and the end of its tip as `temperature_17` and `temperature_18`; the next probe has the numbers behind."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.anyManufacturer, length: 13...13, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), range: .min...7)]
        form.service = BluetoothUUID(high: 0x72FBB6316F6BD1BA, low: 0xDB552EE6FDD942BD)
        form.tolerance = 1
        field = FormField(nil, .octets(OctetNumber(offset: 0)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 1, places: 0)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 0)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 2, places: 0)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 0)))
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2)))
        field.add = Field.Decimal(mantissa: -30, places: 0)
        field.allowed = .min...530
        field.indexField = 0
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 5, octets: 2)))
        field.add = Field.Decimal(mantissa: -30, places: 0)
        field.allowed = .min...530
        field.indexField = 1
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 3, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.indexField = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 6...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xC2)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1, octets: 3)), values: [16777215], isNegated: true), OctetCondition(.number(OctetNumber(offset: 4, mask: 0xDC)), values: [0])]
        form.localName = "TP3*"
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = -400...1000
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 4, mask: 0x3)))
        field.lookup = [0: .int(1), 1: .int(50), 2: .int(100)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 7...7, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), range: .min...7)]
        form.service = BluetoothUUID(high: 0x72FBB6316F6BD1BA, low: 0xDB552EE6FDD942BD)
        form.tolerance = 1
        field = FormField(nil, .octets(OctetNumber(offset: 0)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 1, places: 0)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 0)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 2, places: 0)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 0)))
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2)))
        field.add = Field.Decimal(mantissa: -30, places: 0)
        field.allowed = .min...530
        field.indexField = 0
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 5, octets: 2)))
        field.add = Field.Decimal(mantissa: -30, places: 0)
        field.allowed = .min...530
        field.indexField = 1
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 3, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.indexField = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 23...23, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), range: .min...7)]
        form.service = BluetoothUUID(high: 0x72FBB6316F6BD1BA, low: 0xDB552EE6FDD942BD)
        form.tolerance = 1
        field = FormField(nil, .octets(OctetNumber(offset: 0)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 1, places: 0)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 0)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 2, places: 0)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 0)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 17, places: 0)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 0)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 2, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 18, places: 0)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 0)))
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 5, octets: 4, kind: .float)))
        field.allowed = 0...1100
        field.steps = [.operation(.subtract, .number(Field.Decimal(mantissa: 86, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 5, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 9, places: 0)))]
        field.indexField = 0
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2)))
        field.allowed = .min...1100
        field.steps = [.operation(.subtract, .number(Field.Decimal(mantissa: 86, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 5, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 9, places: 0)))]
        field.indexField = 1
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 9, octets: 4, kind: .float)))
        field.allowed = 0...1100
        field.steps = [.operation(.subtract, .number(Field.Decimal(mantissa: 86, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 5, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 9, places: 0)))]
        field.indexField = 2
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 13, octets: 4, kind: .float)))
        field.allowed = 0...1100
        field.steps = [.operation(.subtract, .number(Field.Decimal(mantissa: 86, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 5, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 9, places: 0)))]
        field.indexField = 3
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 3, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.indexField = 4
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
