// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/sensorpush.toml.

import BluetoothCore

extension SensorDefinition {
    static let sensorpush: SensorDefinition = {
        var definition = SensorDefinition(key: "sensorpush", name: "SensorPush", forms: [])
        definition.products = "HT1, HT.w, HTP.xw, TC.x"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.anyManufacturer, length: 7...7, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x00)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1, octets: 6)), range: .min...273613520207000)]
        form.service = BluetoothUUID(high: 0xEF09000011D642BA, low: 0x93B89DD7EC090AB0)
        form.model = "HTP.xw"
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 6)))
        field.steps = [.operation(.remainder, .number(Field.Decimal(mantissa: 72001, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 25, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 400000, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 10000, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 1, octets: 6)))
        field.steps = [.operation(.quotient, .number(Field.Decimal(mantissa: 72001, places: 0))), .operation(.remainder, .number(Field.Decimal(mantissa: 40001, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 25, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 10000, places: 0)))]
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 1, octets: 6)))
        field.steps = [.operation(.quotient, .number(Field.Decimal(mantissa: 72001, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 40001, places: 0))), .operation(.remainder, .number(Field.Decimal(mantissa: 95001, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 30000, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x04)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1, octets: 4)), range: .min...2640106000)]
        form.service = BluetoothUUID(high: 0xEF09000011D642BA, low: 0x93B89DD7EC090AB0)
        form.model = "HT.w"
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 4)))
        field.steps = [.operation(.remainder, .number(Field.Decimal(mantissa: 66001, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 25, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 400000, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 10000, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 1, octets: 4)))
        field.steps = [.operation(.quotient, .number(Field.Decimal(mantissa: 66001, places: 0))), .operation(.remainder, .number(Field.Decimal(mantissa: 40001, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 25, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 10000, places: 0)))]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x08)]
        form.service = BluetoothUUID(high: 0xEF09000011D642BA, low: 0x93B89DD7EC090AB0)
        form.model = "TC.x"
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 4)))
        field.allowed = .min...32000
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 625, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 2000000, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 10000, places: 0)))]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 4...4, fields: [])
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0, octets: 4, mask: 0x7C000000)), values: [1])]
        form.service = BluetoothUUID(high: 0xEF09000011D642BA, low: 0x93B89DD7EC090AA9)
        form.localName = "s"
        form.model = "HT1"
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, octets: 4, mask: 0x3FFF000)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 17572, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 8192, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 16384, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 4685, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 0, octets: 4, mask: 0xFFF)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 12500, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 2048, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 4096, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 600, places: 0))), .operation(.atLeast, .number(Field.Decimal(mantissa: 0, places: 0))), .operation(.atMost, .number(Field.Decimal(mantissa: 10000, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
