// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/mi-band.toml.

import BluetoothCore

extension SensorDefinition {
    static let miBand: SensorDefinition = {
        var definition = SensorDefinition(key: "mi-band", name: "Mi Band", forms: [])
        definition.products = "Xiaomi and Amazfit bands and watches that advertise the pulse"
        definition.hint = "In the band's app, switch on that it can be found, and the sharing of the heart rate."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x0157), length: 28...28, fields: [])
        form.companion = .serviceData(0xFEE0)
        form.prefix = [.init(mask: 0xFF, value: 0x02)]
        form.addressOffset = 18
        field = FormField(.heartRate, .octets(OctetNumber(offset: 3)))
        field.unknown = [0, 255]
        form.fields.append(field)
        field = FormField(.steps, .octets(OctetNumber(offset: 24, octets: 4)))
        field.allowed = .min...1000000
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x0157), length: 24...24, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x02)]
        form.addressOffset = 18
        field = FormField(.heartRate, .octets(OctetNumber(offset: 3)))
        field.unknown = [0, 255]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x0157), length: 28...28, fields: [])
        form.companion = .serviceData(0xFEE0)
        form.prefix = [.init(mask: 0xFF, value: 0x00)]
        form.addressOffset = 18
        field = FormField(.steps, .octets(OctetNumber(offset: 24, octets: 4)))
        field.allowed = .min...1000000
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
