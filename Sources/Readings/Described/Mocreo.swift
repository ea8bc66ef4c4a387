// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/mocreo.toml.

import BluetoothCore

extension SensorDefinition {
    static let mocreo: SensorDefinition = {
        var definition = SensorDefinition(key: "mocreo", name: "MOCREO", forms: [])
        definition.products = "MOCREO ST5, ST6, ST8, ST9, ST10, SW2, MS1, MS2, MS3"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.anyManufacturer, length: 18...18, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [129, 130, 131, 132, 134, 135, 139, 148, 150]), OctetCondition(.number(OctetNumber(offset: 5)), values: [0, 176]), OctetCondition(.number(OctetNumber(offset: 15, octets: 3)), values: [0]), OctetCondition(.number(OctetNumber(offset: 2, octets: 3)), values: [0], isNegated: true)]
        form.localName = "MOCREO"
        field = FormField(.battery, .octets(OctetNumber(offset: 4, mask: 0x7F)))
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 6, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [130], isNegated: true)]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 8, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [131, 134])]
        form.fields.append(field)
        field = FormField(.moistureDetected, .octets(OctetNumber(offset: 10, mask: 0x1)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [130])]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
