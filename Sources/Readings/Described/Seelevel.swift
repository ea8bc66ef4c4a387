// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/seelevel.toml.

import BluetoothCore

extension SensorDefinition {
    static let seelevel: SensorDefinition = {
        var definition = SensorDefinition(key: "seelevel", name: "SeeLevel", forms: [])
        definition.products = "Garnet SeeLevel II 709-BTP3 and BTP7: level_1 is fresh water, 2 black water, 3 grey water, 4 and 5 gas, 6 and 7 galley, 12 and 13 chemicals"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x0131), length: 14...14, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [32, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57]), OctetCondition(.number(OctetNumber(offset: 5)), values: [32, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57]), OctetCondition(.number(OctetNumber(offset: 6)), range: 48...57), OctetCondition(.number(OctetNumber(offset: 7)), range: 32...57), OctetCondition(.number(OctetNumber(offset: 9)), range: 48...57), OctetCondition(.number(OctetNumber(offset: 12)), range: 48...57), OctetCondition(.number(OctetNumber(offset: 13)), range: 48...57)]
        field = FormField(nil, .octets(OctetNumber(offset: 4, mask: 0xF)))
        field.factor = Field.Decimal(mantissa: 100, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 5, mask: 0xF)))
        field.factor = Field.Decimal(mantissa: 10, places: 0)
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 6, mask: 0xF)))
        field.steps = [.operation(.add, .field(0)), .operation(.add, .field(1))]
        form.fields.append(field)
        field = FormField(.level, .field(2))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [0])]
        field.index = 1
        form.fields.append(field)
        field = FormField(.level, .field(2))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [1])]
        field.index = 2
        form.fields.append(field)
        field = FormField(.level, .field(2))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [2])]
        field.index = 3
        form.fields.append(field)
        field = FormField(.level, .field(2))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [3])]
        field.index = 4
        form.fields.append(field)
        field = FormField(.level, .field(2))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [4])]
        field.index = 5
        form.fields.append(field)
        field = FormField(.level, .field(2))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [5])]
        field.index = 6
        form.fields.append(field)
        field = FormField(.level, .field(2))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [6])]
        field.index = 7
        form.fields.append(field)
        field = FormField(.level, .field(2))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [11])]
        field.index = 12
        form.fields.append(field)
        field = FormField(.level, .field(2))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [12])]
        field.index = 13
        form.fields.append(field)
        field = FormField(.voltage, .field(2))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), values: [13])]
        form.fields.append(field)
        field = FormField(.problem, .octets(OctetNumber(offset: 13, mask: 0xF)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
