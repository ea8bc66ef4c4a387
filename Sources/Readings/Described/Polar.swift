// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/polar.toml.

import BluetoothCore

extension SensorDefinition {
    static let polar: SensorDefinition = {
        var definition = SensorDefinition(key: "polar", name: "Polar", forms: [])
        definition.products = "Polar H10, H9, OH1 and Verity Sense while they are worn"
        definition.hint = "In Polar's app, switch on that other devices may see the heart rate."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x006B), length: 4...4, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, mask: 0xE2)), values: [17]), OctetCondition(.number(OctetNumber(offset: 2)), range: 20...240), OctetCondition(.number(OctetNumber(offset: 3)), range: 20...240)]
        field = FormField(.heartRate, .octets(OctetNumber(offset: 3)))
        form.fields.append(field)
        field = FormField(.sensorContact, .octets(OctetNumber(offset: 0, mask: 0x2)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x006B), length: 4...4, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, mask: 0xE2)), values: [16]), OctetCondition(.number(OctetNumber(offset: 2)), range: .min...240), OctetCondition(.number(OctetNumber(offset: 3)), range: .min...240)]
        field = FormField(.sensorContact, .octets(OctetNumber(offset: 0, mask: 0x2)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
