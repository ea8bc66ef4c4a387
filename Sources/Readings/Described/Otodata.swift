// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/otodata.toml.

import BluetoothCore

extension SensorDefinition {
    static let otodata: SensorDefinition = {
        var definition = SensorDefinition(key: "otodata", name: "Otodata", forms: [])
        definition.products = "Otodata monitors of propane tanks with a Rotarex gauge"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x03B1), length: 13...29, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x4F), .init(mask: 0xFF, value: 0x54), .init(mask: 0xFF, value: 0x4F), .init(mask: 0xFF, value: 0x54), .init(mask: 0xFF, value: 0x45), .init(mask: 0xFF, value: 0x4C), .init(mask: 0xFF, value: 0x45)]
        field = FormField(.level, .octets(OctetNumber(offset: 9, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = .min...10000
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
