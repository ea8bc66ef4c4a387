// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/mikrotik.toml.

import BluetoothCore

extension SensorDefinition {
    static let mikrotik: SensorDefinition = {
        var definition = SensorDefinition(key: "mikrotik", name: "MikroTik", forms: [])
        definition.products = "MikroTik TG-BT5-IN and TG-BT5-OUT, without encryption"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x094F), length: 18...18, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01), .init(mask: 0xFF, value: 0x00)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 390625, places: 8)
        field.unknown = [-32768]
        field.allowed = -20480...25600
        form.fields.append(field)
        field = FormField(.uptime, .octets(OctetNumber(offset: 12, octets: 4)))
        form.fields.append(field)
        field = FormField(.reedSwitch, .octets(OctetNumber(offset: 16, mask: 0x1)))
        form.fields.append(field)
        field = FormField(.vibration, .octets(OctetNumber(offset: 16, mask: 0x38)))
        field.endsAfter = 60
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 17)))
        field.allowed = .min...100
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
