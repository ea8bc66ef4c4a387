// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/amazfit-scale.toml.

import BluetoothCore

extension SensorDefinition {
    static let amazfitScale: SensorDefinition = {
        var definition = SensorDefinition(key: "amazfit-scale", name: "Amazfit scale", forms: [])
        definition.products = "Amazfit Smart Scale"
        definition.hint = "The weight comes when it stands still."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.serviceData(0xFEE0), length: 20...20, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 9, octets: 3)), values: [0], isNegated: true), OctetCondition(.number(OctetNumber(offset: 13)), values: [0]), OctetCondition(.number(OctetNumber(offset: 15, octets: 4, isBigEndian: true)), range: 1400000000...2600000000), OctetCondition(.number(OctetNumber(offset: 19)), values: [0])]
        field = FormField(.weight, .octets(OctetNumber(offset: 7, octets: 2)))
        field.factor = Field.Decimal(mantissa: 5, places: 3)
        field.allowed = .min...40000
        form.fields.append(field)
        field = FormField(.impedance, .octets(OctetNumber(offset: 5, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [0]
        form.fields.append(field)
        field = FormField(.heartRate, .octets(OctetNumber(offset: 12)))
        field.unknown = [0, 255]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
