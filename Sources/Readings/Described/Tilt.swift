// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/tilt.toml.

import BluetoothCore

extension SensorDefinition {
    static let tilt: SensorDefinition = {
        var definition = SensorDefinition(key: "tilt", name: "Tilt", forms: [])
        definition.products = "Tilt, Tilt Pro"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.record, length: 23...23, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 20, octets: 2, isBigEndian: true)), range: 900...4999)]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 5), [16: "Red", 32: "Green", 48: "Black", 64: "Purple", 80: "Orange", 96: "Blue", 112: "Yellow", 128: "Pink"])
        field = FormField(.temperature, .octets(OctetNumber(offset: 18, octets: 2, isBigEndian: true)))
        field.allowed = 10...250
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 3200, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 10, places: 0))), .operation(.addAway, .number(Field.Decimal(mantissa: 9, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 18, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 2)))]
        form.fields.append(field)
        field = FormField(.specificGravity, .octets(OctetNumber(offset: 20, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 23...23, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 20, octets: 2, isBigEndian: true)), range: 5000...12000)]
        form.models = SensorForm.NumberedModels(OctetNumber(offset: 5), [16: "Red", 32: "Green", 48: "Black", 64: "Purple", 80: "Orange", 96: "Blue", 112: "Yellow", 128: "Pink"])
        field = FormField(.temperature, .octets(OctetNumber(offset: 18, octets: 2, isBigEndian: true)))
        field.allowed = 100...2500
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 10, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 3200, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 10, places: 0))), .operation(.addAway, .number(Field.Decimal(mantissa: 9, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 18, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 2)))]
        form.fields.append(field)
        field = FormField(.specificGravity, .octets(OctetNumber(offset: 20, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 4)
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
