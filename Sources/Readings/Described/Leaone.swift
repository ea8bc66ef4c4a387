// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/leaone.toml.

import BluetoothCore

extension SensorDefinition {
    static let leaone: SensorDefinition = {
        var definition = SensorDefinition(key: "leaone", name: "Leaone", forms: [])
        definition.products = "Leaone scales, also under other names"
        definition.hint = "The weight comes when it stands still."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.anyManufacturer, length: 15...15, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xC0)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 8)), values: [33, 37, 49])]
        form.addressOffset = 9
        field = FormField(.weight, .octets(OctetNumber(offset: 2, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 8)), values: [33])]
        form.fields.append(field)
        field = FormField(.weight, .octets(OctetNumber(offset: 2, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 8)), values: [37])]
        form.fields.append(field)
        field = FormField(.weight, .octets(OctetNumber(offset: 2, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 45359237, places: 9)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 8)), values: [49])]
        field.places = 3
        form.fields.append(field)
        field = FormField(.impedance, .octets(OctetNumber(offset: 4, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [0]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
