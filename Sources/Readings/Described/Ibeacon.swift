// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/ibeacon.toml.

import BluetoothCore

extension SensorDefinition {
    static let ibeacon: SensorDefinition = {
        var definition = SensorDefinition(key: "ibeacon", name: "iBeacon", forms: [])
        definition.products = "Beacons of any maker whose address does not change; BM2 and BM6 battery monitors, ABTemp, Jaalee JHT"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.record, length: 23...23, fields: [])
        form.prefix = [.init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x65), .init(mask: 0xFF, value: 0x5F), .init(mask: 0xFF, value: 0x83), .init(mask: 0xFF, value: 0xCA), .init(mask: 0xFF, value: 0xAE), .init(mask: 0xFF, value: 0x16), .init(mask: 0xFF, value: 0xA1), .init(mask: 0xFF, value: 0x0A), .init(mask: 0xFF, value: 0x70), .init(mask: 0xFF, value: 0x2E), .init(mask: 0xFF, value: 0x31), .init(mask: 0xFF, value: 0xF3), .init(mask: 0xFF, value: 0x0D), .init(mask: 0xFF, value: 0x58), .init(mask: 0xFF, value: 0xDD), .init(mask: 0xFF, value: 0x82)]
        field = FormField(.battery, .octets(OctetNumber(offset: 22, kind: .signed)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 23...23, fields: [])
        form.prefix = [.init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x3B), .init(mask: 0xFF, value: 0xA2), .init(mask: 0xFF, value: 0x9C), .init(mask: 0xFF, value: 0xD9), .init(mask: 0xFF, value: 0xA4), .init(mask: 0xFF, value: 0x2C), .init(mask: 0xFF, value: 0x89), .init(mask: 0xFF, value: 0x48), .init(mask: 0xFF, value: 0x56), .init(mask: 0xFF, value: 0xBA), .init(mask: 0xFF, value: 0xDA), .init(mask: 0xFF, value: 0xF2), .init(mask: 0xFF, value: 0x60), .init(mask: 0xFF, value: 0x6E), .init(mask: 0xFF, value: 0xF7), .init(mask: 0xFF, value: 0x77)]
        field = FormField(.txPower, .octets(OctetNumber(offset: 22, kind: .signed)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 19)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 23...23, fields: [])
        form.prefix = [.init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0xB5), .init(mask: 0xFF, value: 0xB1), .init(mask: 0xFF, value: 0x82), .init(mask: 0xFF, value: 0xC7), .init(mask: 0xFF, value: 0xEA), .init(mask: 0xFF, value: 0xB1), .init(mask: 0xFF, value: 0x49), .init(mask: 0xFF, value: 0x88), .init(mask: 0xFF, value: 0xAA), .init(mask: 0xFF, value: 0x99), .init(mask: 0xFF, value: 0xB5), .init(mask: 0xFF, value: 0xC1), .init(mask: 0xFF, value: 0x51), .init(mask: 0xFF, value: 0x70), .init(mask: 0xFF, value: 0x08), .init(mask: 0xFF, value: 0xD9)]
        field = FormField(.txPower, .octets(OctetNumber(offset: 22, kind: .signed)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 20)))
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 21, kind: .signed)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 23...255, fields: [])
        form.prefix = [.init(mask: 0x00, value: 0x00), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0xEB), .init(mask: 0xFF, value: 0xEF), .init(mask: 0xFF, value: 0xD0), .init(mask: 0xFF, value: 0x83), .init(mask: 0xFF, value: 0x70), .init(mask: 0xFF, value: 0xA2), .init(mask: 0xFF, value: 0x47), .init(mask: 0xFF, value: 0xC8), .init(mask: 0xFF, value: 0x98), .init(mask: 0xFF, value: 0x37), .init(mask: 0xFF, value: 0xE7), .init(mask: 0xFF, value: 0xB5), .init(mask: 0xFF, value: 0x63), .init(mask: 0xFF, value: 0x4D), .init(mask: 0xFF, value: 0xF5), .init(mask: 0xFF, value: 0x25)]
        field = FormField(.txPower, .octets(OctetNumber(offset: 22, kind: .signed)))
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 18, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 17500, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 4500, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 2)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 20, octets: 2, isBigEndian: true)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 10000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 1, places: 2)))]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: -1)))
        field.conditions = [OctetCondition(.length, range: 24...255)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 23...23, fields: [])
        field = FormField(.txPower, .octets(OctetNumber(offset: 22, kind: .signed)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 22, kind: .signed)), range: .min...20)]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 22)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 22)), range: 21...42)]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
