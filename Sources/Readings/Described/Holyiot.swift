// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/holyiot.toml.

import BluetoothCore

extension SensorDefinition {
    static let holyiot: SensorDefinition = {
        var definition = SensorDefinition(key: "holyiot", name: "HolyIOT", forms: [])
        definition.products = "HolyIOT trackers with sensors"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.serviceData(0x5242), length: 13...13, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x41)]
        form.addressOffset = 2
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        form.fields.append(field)
        field = FormField(nil, .octets(OctetNumber(offset: 12)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 11, kind: .signed)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 10)), values: [1])]
        field.steps = [.operation(.addAway, .field(1))]
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 11, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.add = Field.Decimal(mantissa: 800, places: 0)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 10)), values: [2])]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 11)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 10)), values: [3])]
        form.fields.append(field)
        field = FormField(.vibration, .octets(OctetNumber(offset: 11)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 10)), values: [4])]
        field.endsAfter = 60
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
