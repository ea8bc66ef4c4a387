// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/skale.toml.

import BluetoothCore

extension SensorDefinition {
    static let skale: SensorDefinition = {
        var definition = SensorDefinition(key: "skale", name: "Skale", forms: [])
        definition.products = "Atomax Skale I and II (scales for coffee)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x81EF), length: 4...4, fields: [])
        form.prefix = [.init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0xFF)]
        form.localName = "Skale*"
        field = FormField(.weight, .octets(OctetNumber(offset: 0, octets: 3, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 4)
        field.allowed = -100000...100000
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
