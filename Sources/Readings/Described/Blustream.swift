// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/blustream.toml.

import BluetoothCore

extension SensorDefinition {
    static let blustream: SensorDefinition = {
        var definition = SensorDefinition(key: "blustream", name: "Blustream", forms: [])
        definition.products = "Blustream (D'Addario Humiditrak and others)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x0194), length: 9...9, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01)]
        form.tolerance = 1
        field = FormField(.humidity, .octets(OctetNumber(offset: 5, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = .min...10000
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 7, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = -4000...8500
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
