// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/oras.toml.

import BluetoothCore

extension SensorDefinition {
    static let oras: SensorDefinition = {
        var definition = SensorDefinition(key: "oras", name: "Oras", forms: [])
        definition.products = "Oras taps with a battery (Electra and others)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x0131), length: 18...18, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x20), .init(mask: 0xFF, value: 0x20), .init(mask: 0xFF, value: 0x20), .init(mask: 0xFF, value: 0x20)]
        field = FormField(.battery, .octets(OctetNumber(offset: 1, mask: 0x7F)))
        field.allowed = .min...100
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
