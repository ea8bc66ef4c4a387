// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/xoss.toml.

import BluetoothCore

extension SensorDefinition {
    static let xoss: SensorDefinition = {
        var definition = SensorDefinition(key: "xoss", name: "XOSS", forms: [])
        definition.products = "XOSS X2 heart rate sensor"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0xFF04), length: 4...4, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x06)]
        field = FormField(.battery, .octets(OctetNumber(offset: 1, mask: 0x7F)))
        field.allowed = .min...100
        form.fields.append(field)
        field = FormField(.heartRate, .octets(OctetNumber(offset: 3)))
        field.unknown = [0]
        field.allowed = .min...240
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
