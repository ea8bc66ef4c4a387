// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/thermobeacon.toml.

import BluetoothCore

extension SensorDefinition {
    static let thermobeacon: SensorDefinition = {
        var definition = SensorDefinition(key: "thermobeacon", name: "ThermoBeacon", forms: [])
        definition.products = "ThermoBeacon, Brifit, ORIA (also T201 and T301), Sensor Blue WS02, WS08 and others"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.record, length: 6...255, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xAA)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 5)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 18...18, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), values: [170], isNegated: true)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 625, places: 4)
        field.allowed = -640...1600
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 12, octets: 2)))
        field.factor = Field.Decimal(mantissa: 625, places: 4)
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 8, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        field = FormField(.uptime, .octets(OctetNumber(offset: 14, octets: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
