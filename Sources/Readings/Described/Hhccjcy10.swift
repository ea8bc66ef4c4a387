// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/hhccjcy10.toml.

import BluetoothCore

extension SensorDefinition {
    static let hhccjcy10: SensorDefinition = {
        var definition = SensorDefinition(key: "hhccjcy10", name: "HHCCJCY10", forms: [])
        definition.products = "HHCCJCY10 (the pink one)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.serviceData(0xFD50), length: 9...9, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), range: .min...100), OctetCondition(.number(OctetNumber(offset: 1, octets: 2, kind: .signed, isBigEndian: true)), range: -400...1000), OctetCondition(.number(OctetNumber(offset: 3, octets: 3, isBigEndian: true)), range: .min...200000)]
        field = FormField(.moisture, .octets(OctetNumber(offset: 0)))
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        field = FormField(.illuminance, .octets(OctetNumber(offset: 3, octets: 3, isBigEndian: true)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 6)))
        form.fields.append(field)
        field = FormField(.conductivity, .octets(OctetNumber(offset: 7, octets: 2, isBigEndian: true)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0xFD50), length: 9...9, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 6)), range: .min...100), OctetCondition(.number(OctetNumber(offset: 1, octets: 2, kind: .signed, isBigEndian: true)), range: -400...1000), OctetCondition(.number(OctetNumber(offset: 3, octets: 3, isBigEndian: true)), range: .min...200000)]
        field = FormField(.moisture, .octets(OctetNumber(offset: 0)))
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        field = FormField(.illuminance, .octets(OctetNumber(offset: 3, octets: 3, isBigEndian: true)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 6)))
        form.fields.append(field)
        field = FormField(.conductivity, .octets(OctetNumber(offset: 7, octets: 2, isBigEndian: true)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
