// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/beaconx-pro.toml.

import BluetoothCore

extension SensorDefinition {
    static let beaconxPro: SensorDefinition = {
        var definition = SensorDefinition(key: "beaconx-pro", name: "BeaconX Pro", forms: [])
        definition.products = "MokoSmart BeaconX Pro (H2, H3, H4A and others)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.serviceData(0xFEAB), length: 16...16, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x70)]
        form.addressOffset = 10
        field = FormField(.temperature, .octets(OctetNumber(offset: 3, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 5, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 7, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0xFEAB), length: 21...21, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x60)]
        form.addressOffset = 15
        field = FormField(.accelerationX, .octets(OctetNumber(offset: 6, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 612915625, places: 12)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [0])]
        field.places = 3
        form.fields.append(field)
        field = FormField(.accelerationY, .octets(OctetNumber(offset: 8, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 612915625, places: 12)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [0])]
        field.places = 3
        form.fields.append(field)
        field = FormField(.accelerationZ, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 612915625, places: 12)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 4)), values: [0])]
        field.places = 3
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 12, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
