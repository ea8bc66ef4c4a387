// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/chef-iq.toml.

import BluetoothCore

extension SensorDefinition {
    static let chefIq: SensorDefinition = {
        var definition = SensorDefinition(key: "chef-iq", name: "Chef iQ", forms: [])
        definition.products = "Chef iQ CQ60: of each probe, the meat, the tip, its places 1 to 3, and the air around it"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x05CD), length: 18...18, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x40)]
        field = FormField(.battery, .octets(OctetNumber(offset: 2)))
        field.allowed = .min...100
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 6, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknownAbove = 32752
        field.index = 1
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 8, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknownAbove = 32752
        field.index = 2
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknownAbove = 32752
        field.index = 3
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 12, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknownAbove = 32752
        field.index = 4
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 3)))
        field.unknownAbove = 253
        field.index = 5
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 14, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknownAbove = 32752
        field.index = 6
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
