// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/senssun.toml.

import BluetoothCore

extension SensorDefinition {
    static let senssun: SensorDefinition = {
        var definition = SensorDefinition(key: "senssun", name: "Senssun", forms: [])
        definition.products = "Senssun IF_B7 scale"
        definition.hint = "The weight comes when it stands still."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x0100), length: 17...17, fields: [])
        form.addressOffset = 3
        field = FormField(.weight, .octets(OctetNumber(offset: 10, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 14, mask: 0xA0)), values: [5])]
        form.fields.append(field)
        field = FormField(.impedance, .octets(OctetNumber(offset: 12, octets: 2, isBigEndian: true)))
        field.unknown = [0]
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 14, mask: 0xA0)), values: [5])]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
