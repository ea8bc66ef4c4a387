// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/hobo.toml.

import BluetoothCore

extension SensorDefinition {
    static let hobo: SensorDefinition = {
        var definition = SensorDefinition(key: "hobo", name: "HOBO", forms: [])
        definition.products = "Onset HOBO MX2001 water level loggers"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x00C5), length: 20...20, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x07), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x06), .init(mask: 0xFF, value: 0x24)]
        field = FormField(.liquidLevel, .octets(OctetNumber(offset: 16, octets: 4, kind: .float)))
        field.allowed = -50...200
        field.places = 5
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
