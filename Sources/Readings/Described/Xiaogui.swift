// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/xiaogui.toml.

import BluetoothCore

extension SensorDefinition {
    static let xiaogui: SensorDefinition = {
        var definition = SensorDefinition(key: "xiaogui", name: "Xiaogui", forms: [])
        definition.products = "Xiaogui scales TZC4 and QJ-J, Leaone scales"
        definition.hint = "The weight comes when it stands still."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.anyManufacturer, length: 15...15, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xC0)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 8)), values: [32, 33, 36, 37, 48, 49])]
        form.addressOffset = 9
        form.counter = OctetNumber(offset: 1)
        field = FormField(.weight, .octets(OctetNumber(offset: 2, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = .min...3000
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 8)), values: [33])]
        form.fields.append(field)
        field = FormField(.weight, .octets(OctetNumber(offset: 2, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = .min...30000
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 8)), values: [37])]
        form.fields.append(field)
        field = FormField(.weight, .octets(OctetNumber(offset: 2, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 453592, places: 7)
        field.allowed = .min...6600
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 8)), values: [49])]
        field.places = 3
        form.fields.append(field)
        field = FormField(.impedance, .octets(OctetNumber(offset: 4, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [0]
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 8)), values: [33, 37, 49])]
        form.fields.append(field)
        field = FormField(.stable, .octets(OctetNumber(offset: 8, mask: 0x1)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
