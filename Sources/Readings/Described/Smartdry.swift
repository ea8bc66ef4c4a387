// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/smartdry.toml.

import BluetoothCore

extension SensorDefinition {
    static let smartdry: SensorDefinition = {
        var definition = SensorDefinition(key: "smartdry", name: "SmartDry", forms: [])
        definition.products = "SmartDry sensor for laundry"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x01AE), length: 12...12, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 3, mask: 0x7F)), values: [0, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67]), OctetCondition(.number(OctetNumber(offset: 7)), values: [0, 58, 59, 60, 61, 62, 63, 64, 65, 66]), OctetCondition(.number(OctetNumber(offset: -1)), range: .min...7)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, octets: 4, kind: .float)))
        field.places = 2
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 4, octets: 4, kind: .float)))
        field.places = 2
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 10)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.add = Field.Decimal(mantissa: 2847, places: 3)
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
