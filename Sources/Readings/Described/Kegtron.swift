// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/kegtron.toml.

import BluetoothCore

extension SensorDefinition {
    static let kegtron: SensorDefinition = {
        var definition = SensorDefinition(key: "kegtron", name: "Kegtron", forms: [])
        definition.products = "Kegtron KT-100 and KT-200 (each of its two taps has a packet)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0xFFFF), length: 27...27, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0xAF)), values: [1]), OctetCondition(.number(OctetNumber(offset: 0, octets: 2, isBigEndian: true)), range: 1000...60000)]
        field = FormField(nil, .octets(OctetNumber(offset: 4, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.unknown = [65535]
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 2, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.unknown = [65535]
        field.steps = [.operation(.subtract, .field(0))]
        form.fields.append(field)
        field = FormField(.volume, .field(0))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0x40)), values: [0])]
        form.fields.append(field)
        field = FormField(.storedVolume, .field(1))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0x40)), values: [0])]
        form.fields.append(field)
        field = FormField(.volume, .field(0))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0x50)), values: [4])]
        field.index = 1
        form.fields.append(field)
        field = FormField(.storedVolume, .field(1))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0x50)), values: [4])]
        field.index = 1
        form.fields.append(field)
        field = FormField(.volume, .field(0))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0x50)), values: [5])]
        field.index = 2
        form.fields.append(field)
        field = FormField(.storedVolume, .field(1))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 6, mask: 0x50)), values: [5])]
        field.index = 2
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
