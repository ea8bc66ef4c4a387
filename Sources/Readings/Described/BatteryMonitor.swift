// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/battery-monitor.toml.

import BluetoothCore

extension SensorDefinition {
    static let batteryMonitor: SensorDefinition = {
        var definition = SensorDefinition(key: "fff4", name: "Battery monitor BM2, BM6 or BM7", forms: [])
        definition.products = "Leagend BM2, BM6 and BM7, also sold as intact Battery Guard, Ancel BM200 and BM300 Pro, and under other names"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.characteristic("fff4"), length: 16...16, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xD1), .init(mask: 0xFF, value: 0x55), .init(mask: 0xFF, value: 0x07)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), range: .min...1), OctetCondition(.number(OctetNumber(offset: 7, octets: 2, isBigEndian: true)), range: 1...4095)]
        form.valueCipher = ValueCipher(key: [0x6C, 0x65, 0x61, 0x67, 0x65, 0x6E, 0x64, 0xFF, 0xFE, 0x30, 0x31, 0x30, 0x30, 0x30, 0x30, 0x39], initial: [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00])
        field = FormField(nil, .octets(OctetNumber(offset: 3)))
        field.factor = Field.Decimal(mantissa: -2, places: 0)
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 4)))
        field.steps = [.operation(.multiply, .field(0))]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 6)))
        field.allowed = .min...100
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 7, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.batteryLow, .octets(OctetNumber(offset: 5)))
        field.lookup = [0: .int(0), 1: .int(1), 2: .int(0)]
        form.fields.append(field)
        field = FormField(.charging, .octets(OctetNumber(offset: 5)))
        field.lookup = [0: .int(0), 1: .int(0), 2: .int(1)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.characteristic("fff4"), length: 16...16, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xD1), .init(mask: 0xFF, value: 0x55), .init(mask: 0xFF, value: 0x07), .init(mask: 0xFF, value: 0xFF)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 8, octets: 4)), values: [0]), OctetCondition(.number(OctetNumber(offset: 12, octets: 4)), values: [0])]
        form.valueCipher = ValueCipher(key: [0x6C, 0x65, 0x61, 0x67, 0x65, 0x6E, 0x64, 0xFF, 0xFE, 0x30, 0x31, 0x30, 0x30, 0x30, 0x30, 0x39], initial: [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00])
        field = FormField(nil, .octets(OctetNumber(offset: 3)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.characteristic("fff4"), length: 16...16, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xD1), .init(mask: 0xFF, value: 0x55), .init(mask: 0xFF, value: 0x07)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 3)), range: .min...1), OctetCondition(.number(OctetNumber(offset: 7, octets: 2, isBigEndian: true)), range: 1...4095)]
        form.valueCipher = ValueCipher(key: [0x6C, 0x65, 0x61, 0x67, 0x65, 0x6E, 0x64, 0xFF, 0xFE, 0x30, 0x31, 0x30, 0x30, 0x30, 0x30, 0x40], initial: [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00])
        field = FormField(nil, .octets(OctetNumber(offset: 3)))
        field.factor = Field.Decimal(mantissa: -2, places: 0)
        field.add = Field.Decimal(mantissa: 1, places: 0)
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 4)))
        field.steps = [.operation(.multiply, .field(0))]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 6)))
        field.allowed = .min...100
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 7, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.batteryLow, .octets(OctetNumber(offset: 5)))
        field.lookup = [0: .int(0), 1: .int(1), 2: .int(0)]
        form.fields.append(field)
        field = FormField(.charging, .octets(OctetNumber(offset: 5)))
        field.lookup = [0: .int(0), 1: .int(0), 2: .int(1)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.characteristic("fff4"), length: 16...16, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xD1), .init(mask: 0xFF, value: 0x55), .init(mask: 0xFF, value: 0x07), .init(mask: 0xFF, value: 0xFF)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 8, octets: 4)), values: [0]), OctetCondition(.number(OctetNumber(offset: 12, octets: 4)), values: [0])]
        form.valueCipher = ValueCipher(key: [0x6C, 0x65, 0x61, 0x67, 0x65, 0x6E, 0x64, 0xFF, 0xFE, 0x30, 0x31, 0x30, 0x30, 0x30, 0x30, 0x40], initial: [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00])
        field = FormField(nil, .octets(OctetNumber(offset: 3)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.characteristic("fff4"), length: 16...16, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xF5)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 12, octets: 4)), values: [0])]
        form.valueCipher = ValueCipher(key: [0x6C, 0x65, 0x61, 0x67, 0x65, 0x6E, 0x64, 0xFF, 0xFE, 0x31, 0x38, 0x38, 0x32, 0x34, 0x36, 0x36], initial: [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00])
        field = FormField(.voltage, .octets(OctetNumber(offset: 1, octets: 2, isBigEndian: true, mask: 0xFFF0)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
