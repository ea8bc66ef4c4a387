// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/eufy.toml.

import BluetoothCore

extension SensorDefinition {
    static let eufy: SensorDefinition = {
        var definition = SensorDefinition(key: "eufy", name: "eufy", forms: [])
        definition.products = "eufy Smart Scale C1 (T9146), P1 (T9147), P2 (T9148) and P2 Pro (T9149)"
        definition.hint = "The weight comes when it stands still."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.anyManufacturer, length: 20...20, fields: [])
        form.prefix = [.init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0xCF)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 15)), values: [0])]
        form.localName = "eufy T9146"
        form.checks = [OctetCheck(.exclusiveOr, first: 6, last: 15, number: OctetNumber(offset: 16))]
        form.model = "T9146"
        field = FormField(.weight, .octets(OctetNumber(offset: 9, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = 1...30000
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 20...20, fields: [])
        form.prefix = [.init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0xCF)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 15)), values: [0])]
        form.localName = "eufy T9147"
        form.checks = [OctetCheck(.exclusiveOr, first: 6, last: 15, number: OctetNumber(offset: 16))]
        form.model = "T9147"
        field = FormField(.weight, .octets(OctetNumber(offset: 9, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = 1...30000
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 21...21, fields: [])
        form.prefix = [.init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0xCF)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 17)), values: [0])]
        form.localName = "eufy T9148"
        form.model = "T9148"
        field = FormField(.weight, .octets(OctetNumber(offset: 11, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = 1...30000
        form.fields.append(field)
        field = FormField(.heartRate, .octets(OctetNumber(offset: 9)))
        field.unknown = [0]
        field.allowed = .min...240
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 10, mask: 0xC0)), values: [3])]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 21...21, fields: [])
        form.prefix = [.init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0xCF)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 17)), values: [0])]
        form.localName = "eufy T9149"
        form.model = "T9149"
        field = FormField(.weight, .octets(OctetNumber(offset: 11, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = 1...30000
        form.fields.append(field)
        field = FormField(.heartRate, .octets(OctetNumber(offset: 9)))
        field.unknown = [0]
        field.allowed = .min...240
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 10, mask: 0xC0)), values: [3])]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
