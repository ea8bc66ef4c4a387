// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/radioland.toml.

import BluetoothCore

extension SensorDefinition {
    static let radioland: SensorDefinition = {
        var definition = SensorDefinition(key: "radioland", name: "RadioLand", forms: [])
        definition.products = "RadioLand RDL52832 (its frame beside the iBeacon)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.serviceData(0x0318), length: 16...16, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), range: .min...1), OctetCondition(.number(OctetNumber(offset: 8)), range: .min...1), OctetCondition(.number(OctetNumber(offset: 12)), range: .min...1), OctetCondition(.number(OctetNumber(offset: 7)), range: .min...9), OctetCondition(.number(OctetNumber(offset: 11)), range: .min...9), OctetCondition(.number(OctetNumber(offset: 15)), range: .min...9)]
        field = FormField(nil, .octets(OctetNumber(offset: 1)))
        field.steps = [.operation(.divide, .number(Field.Decimal(mantissa: 256, places: 0)))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, kind: .signed)))
        field.steps = [.operation(.add, .field(0))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 3)))
        field.steps = [.operation(.divide, .number(Field.Decimal(mantissa: 256, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 2)))
        field.steps = [.operation(.add, .field(2))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 5)))
        field.factor = Field.Decimal(mantissa: 100, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 6)))
        field.factor = Field.Decimal(mantissa: 10, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 4)))
        field.factor = Field.Decimal(mantissa: -2, places: 0)
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.accelerationX, .octets(OctetNumber(offset: 7)))
        field.steps = [.operation(.add, .field(5)), .operation(.add, .field(4)), .operation(.multiply, .field(6)), .operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 7)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 9)))
        field.factor = Field.Decimal(mantissa: 100, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 10)))
        field.factor = Field.Decimal(mantissa: 10, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 8)))
        field.factor = Field.Decimal(mantissa: -2, places: 0)
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.accelerationY, .octets(OctetNumber(offset: 11)))
        field.steps = [.operation(.add, .field(9)), .operation(.add, .field(8)), .operation(.multiply, .field(10)), .operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 7)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 13)))
        field.factor = Field.Decimal(mantissa: 100, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 14)))
        field.factor = Field.Decimal(mantissa: 10, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 12)))
        field.factor = Field.Decimal(mantissa: -2, places: 0)
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.accelerationZ, .octets(OctetNumber(offset: 15)))
        field.steps = [.operation(.add, .field(13)), .operation(.add, .field(12)), .operation(.multiply, .field(14)), .operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 7)))]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0x1803), length: 16...16, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), range: .min...1), OctetCondition(.number(OctetNumber(offset: 8)), range: .min...1), OctetCondition(.number(OctetNumber(offset: 12)), range: .min...1), OctetCondition(.number(OctetNumber(offset: 7)), range: .min...9), OctetCondition(.number(OctetNumber(offset: 11)), range: .min...9), OctetCondition(.number(OctetNumber(offset: 15)), range: .min...9)]
        field = FormField(nil, .octets(OctetNumber(offset: 1)))
        field.steps = [.operation(.divide, .number(Field.Decimal(mantissa: 256, places: 0)))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, kind: .signed)))
        field.steps = [.operation(.add, .field(0))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 3)))
        field.steps = [.operation(.divide, .number(Field.Decimal(mantissa: 256, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 2)))
        field.steps = [.operation(.add, .field(2))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 5)))
        field.factor = Field.Decimal(mantissa: 100, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 6)))
        field.factor = Field.Decimal(mantissa: 10, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 4)))
        field.factor = Field.Decimal(mantissa: -2, places: 0)
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.accelerationX, .octets(OctetNumber(offset: 7)))
        field.steps = [.operation(.add, .field(5)), .operation(.add, .field(4)), .operation(.multiply, .field(6)), .operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 7)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 9)))
        field.factor = Field.Decimal(mantissa: 100, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 10)))
        field.factor = Field.Decimal(mantissa: 10, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 8)))
        field.factor = Field.Decimal(mantissa: -2, places: 0)
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.accelerationY, .octets(OctetNumber(offset: 11)))
        field.steps = [.operation(.add, .field(9)), .operation(.add, .field(8)), .operation(.multiply, .field(10)), .operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 7)))]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 13)))
        field.factor = Field.Decimal(mantissa: 100, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 14)))
        field.factor = Field.Decimal(mantissa: 10, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 12)))
        field.factor = Field.Decimal(mantissa: -2, places: 0)
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.accelerationZ, .octets(OctetNumber(offset: 15)))
        field.steps = [.operation(.add, .field(13)), .operation(.add, .field(12)), .operation(.multiply, .field(14)), .operation(.multiply, .number(Field.Decimal(mantissa: 980665, places: 7)))]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
