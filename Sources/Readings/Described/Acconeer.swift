// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/acconeer.toml.

import BluetoothCore

extension SensorDefinition {
    static let acconeer: SensorDefinition = {
        var definition = SensorDefinition(key: "acconeer", name: "Acconeer", forms: [])
        definition.products = "Acconeer XM122 and XM126 radar modules"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0xACC0), length: 15...15, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x80), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00)]
        form.model = "XM122"
        field = FormField(.battery, .octets(OctetNumber(offset: 1, octets: 2)))
        field.allowed = .min...100
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 3, octets: 2, kind: .signed)))
        field.allowed = -60...130
        form.fields.append(field)
        field = FormField(.motion, .octets(OctetNumber(offset: 5, octets: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0xACC0), length: 15...15, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x91), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00)]
        form.model = "XM126"
        field = FormField(.battery, .octets(OctetNumber(offset: 1, octets: 2)))
        field.allowed = .min...100
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 3, octets: 2, kind: .signed)))
        field.allowed = -60...130
        form.fields.append(field)
        field = FormField(.motion, .octets(OctetNumber(offset: 5, octets: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0xACC0), length: 15...15, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x90), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00)]
        form.model = "XM126"
        field = FormField(.battery, .octets(OctetNumber(offset: 1, octets: 2)))
        field.allowed = .min...100
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 3, octets: 2, kind: .signed)))
        field.allowed = -60...130
        form.fields.append(field)
        field = FormField(.distance, .octets(OctetNumber(offset: 5, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
