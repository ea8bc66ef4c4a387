// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/inode.toml.

import BluetoothCore

extension SensorDefinition {
    static let inode: SensorDefinition = {
        var definition = SensorDefinition(key: "inode", name: "iNode", forms: [])
        definition.products = "iNode Energy Meter of electricity or water, Care Sensor HT"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.anyManufacturer, length: 13...13, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0x90), .init(mask: 0xFF, value: 0x82)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 8, octets: 2, mask: 0xC000)), values: [0])]
        field = FormField(nil, .octets(OctetNumber(offset: 8, octets: 2, mask: 0x3FFF)))
        form.fields.append(field)
        field = FormField(.batteryLow, .octets(OctetNumber(offset: 0, mask: 0x4)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 10, mask: 0xF0)))
        field.lookup = [1: .int(100), 2: .int(10), 3: .int(20), 4: .int(30), 5: .int(40), 6: .int(50), 7: .int(60), 8: .int(70), 9: .int(80), 10: .int(90), 11: .int(100)]
        form.fields.append(field)
        field = FormField(.power, .octets(OctetNumber(offset: 2, octets: 2)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 60000, places: 0))), .operation(.divide, .field(0))]
        field.places = 1
        form.fields.append(field)
        field = FormField(.energy, .octets(OctetNumber(offset: 4, octets: 4)))
        field.steps = [.operation(.divide, .field(0))]
        field.places = 4
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 13...13, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0xA0), .init(mask: 0xFF, value: 0x82)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 8, octets: 2, mask: 0xC000)), values: [0])]
        field = FormField(nil, .octets(OctetNumber(offset: 8, octets: 2, mask: 0x3FFF)))
        form.fields.append(field)
        field = FormField(.batteryLow, .octets(OctetNumber(offset: 0, mask: 0x4)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 10, mask: 0xF0)))
        field.lookup = [1: .int(100), 2: .int(10), 3: .int(20), 4: .int(30), 5: .int(40), 6: .int(50), 7: .int(60), 8: .int(70), 9: .int(80), 10: .int(90), 11: .int(100)]
        form.fields.append(field)
        field = FormField(.power, .octets(OctetNumber(offset: 2, octets: 2)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 60000, places: 0))), .operation(.divide, .field(0))]
        field.places = 1
        form.fields.append(field)
        field = FormField(.energy, .octets(OctetNumber(offset: 4, octets: 4)))
        field.steps = [.operation(.divide, .field(0))]
        field.places = 4
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 24...24, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0x90), .init(mask: 0xFF, value: 0x9B)]
        field = FormField(.battery, .octets(OctetNumber(offset: 2, octets: 2, mask: 0xF000)))
        field.lookup = [1: .int(100), 2: .int(10), 3: .int(20), 4: .int(30), 5: .int(40), 6: .int(50), 7: .int(60), 8: .int(70), 9: .int(80), 10: .int(90), 11: .int(100)]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 8, octets: 2)))
        field.allowed = .min...16383
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 10725098, places: 9))), .operation(.subtract, .number(Field.Decimal(mantissa: 4685, places: 2)))]
        field.places = 2
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 10, octets: 2)))
        field.allowed = .min...16383
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 125, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 16384, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 6, places: 0))), .operation(.atLeast, .number(Field.Decimal(mantissa: 0, places: 0))), .operation(.atMost, .number(Field.Decimal(mantissa: 100, places: 0)))]
        field.places = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 24...24, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0xA0), .init(mask: 0xFF, value: 0x9B)]
        field = FormField(.battery, .octets(OctetNumber(offset: 2, octets: 2, mask: 0xF000)))
        field.lookup = [1: .int(100), 2: .int(10), 3: .int(20), 4: .int(30), 5: .int(40), 6: .int(50), 7: .int(60), 8: .int(70), 9: .int(80), 10: .int(90), 11: .int(100)]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 8, octets: 2)))
        field.allowed = .min...16383
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 10725098, places: 9))), .operation(.subtract, .number(Field.Decimal(mantissa: 4685, places: 2)))]
        field.places = 2
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 10, octets: 2)))
        field.allowed = .min...16383
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 125, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 16384, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 6, places: 0))), .operation(.atLeast, .number(Field.Decimal(mantissa: 0, places: 0))), .operation(.atMost, .number(Field.Decimal(mantissa: 100, places: 0)))]
        field.places = 2
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 13...13, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0x90), .init(mask: 0xFF, value: 0x82)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 8, octets: 2, mask: 0xC000)), values: [1])]
        field = FormField(nil, .octets(OctetNumber(offset: 8, octets: 2, mask: 0x3FFF)))
        form.fields.append(field)
        field = FormField(.batteryLow, .octets(OctetNumber(offset: 0, mask: 0x4)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 10, mask: 0xF0)))
        field.lookup = [1: .int(100), 2: .int(10), 3: .int(20), 4: .int(30), 5: .int(40), 6: .int(50), 7: .int(60), 8: .int(70), 9: .int(80), 10: .int(90), 11: .int(100)]
        form.fields.append(field)
        field = FormField(.volumeFlow, .octets(OctetNumber(offset: 2, octets: 2)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 60, places: 0))), .operation(.divide, .field(0))]
        field.places = 4
        form.fields.append(field)
        field = FormField(.water, .octets(OctetNumber(offset: 4, octets: 4)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.divide, .field(0))]
        field.places = 1
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 13...13, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0xA0), .init(mask: 0xFF, value: 0x82)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 8, octets: 2, mask: 0xC000)), values: [1])]
        field = FormField(nil, .octets(OctetNumber(offset: 8, octets: 2, mask: 0x3FFF)))
        form.fields.append(field)
        field = FormField(.batteryLow, .octets(OctetNumber(offset: 0, mask: 0x4)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 10, mask: 0xF0)))
        field.lookup = [1: .int(100), 2: .int(10), 3: .int(20), 4: .int(30), 5: .int(40), 6: .int(50), 7: .int(60), 8: .int(70), 9: .int(80), 10: .int(90), 11: .int(100)]
        form.fields.append(field)
        field = FormField(.volumeFlow, .octets(OctetNumber(offset: 2, octets: 2)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 60, places: 0))), .operation(.divide, .field(0))]
        field.places = 4
        form.fields.append(field)
        field = FormField(.water, .octets(OctetNumber(offset: 4, octets: 4)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 1000, places: 0))), .operation(.divide, .field(0))]
        field.places = 1
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
