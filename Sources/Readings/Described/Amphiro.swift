// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/amphiro.toml.

import BluetoothCore

extension SensorDefinition {
    static let amphiro: SensorDefinition = {
        var definition = SensorDefinition(key: "amphiro", name: "Amphiro", forms: [])
        definition.products = "Amphiro b1 and Oras Hydractiva Digital hand showers"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0xFAEE), length: 19...19, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [0]), OctetCondition(.number(OctetNumber(offset: 16, octets: 3)), values: [0])]
        field = FormField(.sequence, .octets(OctetNumber(offset: 0, octets: 3, isBigEndian: true)))
        form.fields.append(field)
        field = FormField(.duration, .octets(OctetNumber(offset: 3, octets: 2, isBigEndian: true)))
        form.fields.append(field)
        field = FormField(.volume, .octets(OctetNumber(offset: 8, octets: 3, isBigEndian: true)))
        field.steps = [.operation(.divide, .number(Field.Decimal(mantissa: 2560, places: 0)))]
        field.places = 3
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 11)))
        field.allowed = .min...100
        form.fields.append(field)
        field = FormField(.energy, .octets(OctetNumber(offset: 12, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
