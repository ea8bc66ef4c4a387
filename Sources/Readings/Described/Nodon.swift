// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/nodon.toml.

import BluetoothCore

extension SensorDefinition {
    static let nodon: SensorDefinition = {
        var definition = SensorDefinition(key: "nodon", name: "NodOn", forms: [])
        definition.products = "NodOn NIU smart button"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.serviceData(0x0000), length: 16...16, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x02)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 10)), values: [0]), OctetCondition(.number(OctetNumber(offset: 11)), range: 1...9), OctetCondition(.number(OctetNumber(offset: 15)), range: 1...7)]
        form.isEvent = true
        form.isUnique = true
        field = FormField(.button, .octets(OctetNumber(offset: 15)))
        field.lookup = [1: .string("press"), 2: .string("double_press"), 3: .string("long_press"), 4: .string("hold_release"), 5: .string("triple_press"), 6: .string("quadruple_press"), 7: .string("quintuple_press")]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 12, mask: 0x7F)))
        field.allowed = .min...100
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
