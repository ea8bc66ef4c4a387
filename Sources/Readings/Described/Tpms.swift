// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/tpms.toml.

import BluetoothCore

extension SensorDefinition {
    static let tpms: SensorDefinition = {
        var definition = SensorDefinition(key: "tpms", name: "TPMS", forms: [])
        definition.products = "Tyre valves that name themselves TPMS1_… to TPMS4_…"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.anyManufacturer, length: 18...18, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x00), .init(mask: 0xF0, value: 0x00)]
        form.addressOffset = 2
        field = FormField(.channel, .octets(OctetNumber(offset: 2, mask: 0xF)))
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 8, octets: 4)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 12, octets: 4, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 16)))
        form.fields.append(field)
        field = FormField(.problem, .octets(OctetNumber(offset: 17, mask: 0x1)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
