// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/laica.toml.

import BluetoothCore

extension SensorDefinition {
    static let laica: SensorDefinition = {
        var definition = SensorDefinition(key: "laica", name: "Laica", forms: [])
        definition.products = "Laica smart scales, and others that call themselves AAA002"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.anyManufacturer, length: 14...14, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xAC), .init(mask: 0xFF, value: 0xA0)]
        form.addressOffset = 2
        form.isAddressReversed = true
        field = FormField(.weight, .octets(OctetNumber(offset: 8, octets: 4, isBigEndian: true)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 12)), values: [13])]
        field.steps = [.operation(.exclusiveOr, .number(Field.Decimal(mantissa: 2694881440, places: 0))), .operation(.and, .number(Field.Decimal(mantissa: 262143, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 3)))]
        form.fields.append(field)
        field = FormField(.impedance, .octets(OctetNumber(offset: 8, octets: 2, isBigEndian: true)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 12)), values: [6])]
        field.steps = [.operation(.exclusiveOr, .number(Field.Decimal(mantissa: 41120, places: 0)))]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
