// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/relsib.toml.

import BluetoothCore

extension SensorDefinition {
    static let relsib: SensorDefinition = {
        var definition = SensorDefinition(key: "relsib", name: "Relsib", forms: [])
        definition.products = "Relsib EClerk-Eco-RHTC (temperature, humidity, CO2)"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.serviceData(0xAA20), length: 22...22, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 10, octets: 2)), values: [32768])]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [-32768]
        field.allowed = -10000...12500
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32768]
        field.allowed = .min...10000
        form.fields.append(field)
        field = FormField(.co2, .octets(OctetNumber(offset: 8, octets: 2)))
        field.unknown = [32768]
        field.allowed = .min...20000
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 13, mask: 0x7F)))
        field.allowed = .min...100
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 13, mask: 0x80)), values: [0])]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0xAA21), length: 22...22, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 6, octets: 2)), values: [32768])]
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [-32768]
        field.allowed = -10000...12500
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 2, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32768]
        field.allowed = .min...10000
        form.fields.append(field)
        field = FormField(.co2, .octets(OctetNumber(offset: 4, octets: 2)))
        field.unknown = [32768]
        field.allowed = .min...20000
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0xAA22), length: 22...22, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 6, octets: 2)), values: [32768])]
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [-32768]
        field.allowed = -10000...12500
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 2, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32768]
        field.allowed = .min...10000
        form.fields.append(field)
        field = FormField(.co2, .octets(OctetNumber(offset: 4, octets: 2)))
        field.unknown = [32768]
        field.allowed = .min...20000
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
