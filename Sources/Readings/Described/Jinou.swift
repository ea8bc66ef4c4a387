// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/jinou.toml.

import BluetoothCore

extension SensorDefinition {
    static let jinou: SensorDefinition = {
        var definition = SensorDefinition(key: "jinou", name: "Jinou", forms: [])
        definition.products = "Jinou BEC07-5 thermometers and hygrometers"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.anyManufacturer, length: 13...13, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), range: .min...1), OctetCondition(.number(OctetNumber(offset: 2)), range: .min...9), OctetCondition(.number(OctetNumber(offset: 5)), range: .min...9)]
        form.addressOffset = 7
        field = FormField(nil, .octets(OctetNumber(offset: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 1)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [0])]
        field.steps = [.operation(.add, .field(0))]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 1)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [1])]
        field.steps = [.operation(.add, .field(0)), .negate]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 5)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 4)))
        field.steps = [.operation(.add, .field(3))]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
