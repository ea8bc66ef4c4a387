// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/beewi.toml.

import BluetoothCore

extension SensorDefinition {
    static let beewi: SensorDefinition = {
        var definition = SensorDefinition(key: "beewi", name: "BeeWi", forms: [])
        definition.products = "BeeWi and Otio door sensor (BSDOO)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x000D), length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x08), .init(mask: 0xFF, value: 0x0C)]
        field = FormField(.opening, .octets(OctetNumber(offset: 2)))
        field.allowed = .min...1
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
