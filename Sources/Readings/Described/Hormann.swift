// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/hormann.toml.

import BluetoothCore

extension SensorDefinition {
    static let hormann: SensorDefinition = {
        var definition = SensorDefinition(key: "hormann", name: "Hörmann", forms: [])
        definition.products = "Hörmann SupraMatic E4 BS garage doors"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x07B4), length: 17...17, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0x10)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, mask: 0xF)), values: [3, 4, 5, 7]), OctetCondition(.number(OctetNumber(offset: 1)), range: .min...200), OctetCondition(.number(OctetNumber(offset: 2, octets: 6)), values: [0])]
        field = FormField(.garageDoor, .octets(OctetNumber(offset: 1)))
        form.fields.append(field)
        field = FormField(.position, .octets(OctetNumber(offset: 1)))
        field.factor = Field.Decimal(mantissa: 5, places: 1)
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
