// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/inkbird.toml.

import BluetoothCore

extension SensorDefinition {
    static let inkbird: SensorDefinition = {
        var definition = SensorDefinition(key: "inkbird", name: "Inkbird", forms: [])
        definition.products = "IBS-TH, IBS-TH2, IBS-P01B, ITH-11-B, ITH-13-B, ITH-21-B, IBS-P02B, IAM-T2, iBBQ"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.anyManufacturer, length: 12...255, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), range: .min...1)]
        form.localName = "iBBQ"
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 12...255)]
        field.index = 1
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 12, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 14...255)]
        field.index = 2
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 14, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 16...255)]
        field.index = 3
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 16, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 18...255)]
        field.index = 4
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 18, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 20...255)]
        field.index = 5
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 20, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 22...255)]
        field.index = 6
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 22, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 24...255)]
        field.index = 7
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 24, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 26...255)]
        field.index = 8
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 9...9, fields: [])
        form.localName = "sps"
        form.checks = [OctetCheck(.crc(CyclicCheck(width: 16, polynomial: 0x8005, initial: 0xFFFF, isReflected: true)), first: 0, last: 4, number: OctetNumber(offset: 5, octets: 2))]
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 2, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = .min...10000
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 7)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 9...9, fields: [])
        form.localName = "tps"
        form.checks = [OctetCheck(.crc(CyclicCheck(width: 16, polynomial: 0x8005, initial: 0xFFFF, isReflected: true)), first: 0, last: 4, number: OctetNumber(offset: 5, octets: 2))]
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 2, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [0, 65535]
        field.allowed = .min...10000
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 7)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 18...18, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x49), .init(mask: 0xFF, value: 0x24)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 8, octets: 2)), values: [65535], isNegated: true)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 6, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = -500...1500
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 8, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [0]
        field.allowed = .min...1000
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 10)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 17...17, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x54), .init(mask: 0xFF, value: 0x32), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x62)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.allowed = -1000...2500
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 9, mask: 0x2)), values: [0])]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed, isBigEndian: true)))
        field.allowed = -1000...2500
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 9, mask: 0x2)), values: [1])]
        field.steps = [.operation(.subtract, .number(Field.Decimal(mantissa: 320, places: 0))), .operation(.multiply, .number(Field.Decimal(mantissa: 50, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 9, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 12, octets: 2, isBigEndian: true)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknownAbove = 1000
        form.fields.append(field)
        field = FormField(.co2, .octets(OctetNumber(offset: 14, octets: 2, isBigEndian: true)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 12...255, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), range: .min...1)]
        form.addressOffset = 4
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 12...255)]
        field.index = 1
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 12, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 14...255)]
        field.index = 2
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 14, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 16...255)]
        field.index = 3
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 16, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 18...255)]
        field.index = 4
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 18, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 20...255)]
        field.index = 5
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 20, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 22...255)]
        field.index = 6
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 22, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 24...255)]
        field.index = 7
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 24, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 26...255)]
        field.index = 8
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 12...255, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), range: .min...1)]
        form.addressOffset = 4
        form.isAddressReversed = true
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 12...255)]
        field.index = 1
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 12, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 14...255)]
        field.index = 2
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 14, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 16...255)]
        field.index = 3
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 16, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 18...255)]
        field.index = 4
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 18, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 20...255)]
        field.index = 5
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 20, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 22...255)]
        field.index = 6
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 22, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 24...255)]
        field.index = 7
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 24, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 26...255)]
        field.index = 8
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 12...255, fields: [])
        form.prefix = [.init(mask: 0xF0, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00), .init(mask: 0xFF, value: 0x00)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 0)), range: .min...1)]
        form.localName = "xBBQ"
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 12...255)]
        field.index = 1
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 12, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 14...255)]
        field.index = 2
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 14, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 16...255)]
        field.index = 3
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 16, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 18...255)]
        field.index = 4
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 18, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 20...255)]
        field.index = 5
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 20, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 22...255)]
        field.index = 6
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 22, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 24...255)]
        field.index = 7
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 24, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [-1, -10]
        field.allowed = -500...6000
        field.conditions = [OctetCondition(.length, range: 26...255)]
        field.index = 8
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.anyManufacturer, length: 9...9, fields: [])
        form.service = BluetoothUUID(0xFFF0 as UInt16)
        form.checks = [OctetCheck(.crc(CyclicCheck(width: 16, polynomial: 0x8005, initial: 0xFFFF, isReflected: true)), first: 0, last: 4, number: OctetNumber(offset: 5, octets: 2))]
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 2, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [0, 65535]
        field.allowed = .min...10000
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 7)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
