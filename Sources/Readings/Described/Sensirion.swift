// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/sensirion.toml.

import BluetoothCore

extension SensorDefinition {
    static let sensirion: SensorDefinition = {
        var definition = SensorDefinition(key: "sensirion", name: "Sensirion", forms: [])
        definition.products = "MyCO2, CO2 Gadget, SHT4x Smart Gadget, SHT3x gadgets, DIY gadgets with SVM4x, SFA30, SEN5x and SEN6x"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x06D5), length: 6...253, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x00)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [36])]
        field = FormField(.co2, .octets(OctetNumber(offset: 4, octets: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x06D5), length: 8...253, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x00)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [4, 6])]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 17500, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 4500, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [4])]
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 10000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [6])]
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 12500, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 600, places: 0))), .operation(.atLeast, .number(Field.Decimal(mantissa: 0, places: 0))), .operation(.atMost, .number(Field.Decimal(mantissa: 10000, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x06D5), length: 10...253, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x00)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [3, 8, 10, 14])]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 17500, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 4500, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, octets: 2)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 10000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.co2, .octets(OctetNumber(offset: 8, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [8, 10])]
        form.fields.append(field)
        field = FormField(.vocIndex, .octets(OctetNumber(offset: 8, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [3])]
        form.fields.append(field)
        field = FormField(.formaldehyde, .octets(OctetNumber(offset: 8, octets: 2)))
        field.factor = Field.Decimal(mantissa: 2456, places: 7)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [14])]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x06D5), length: 12...253, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x00)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [12, 16, 22, 28, 30, 34])]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [12, 16, 22, 28, 30])]
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 17500, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 4500, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [12, 16, 22, 28, 30])]
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 10000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.co2, .octets(OctetNumber(offset: 8, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [12, 28])]
        form.fields.append(field)
        field = FormField(.vocIndex, .octets(OctetNumber(offset: 8, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [16, 22, 30])]
        form.fields.append(field)
        field = FormField(.noxIndex, .octets(OctetNumber(offset: 10, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [22])]
        form.fields.append(field)
        field = FormField(.pm1, .octets(OctetNumber(offset: 4, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [34])]
        form.fields.append(field)
        field = FormField(.pm25, .octets(OctetNumber(offset: 6, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [34])]
        form.fields.append(field)
        field = FormField(.pm4, .octets(OctetNumber(offset: 8, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [34])]
        form.fields.append(field)
        field = FormField(.pm10, .octets(OctetNumber(offset: 10, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [34])]
        form.fields.append(field)
        field = FormField(.pm25, .octets(OctetNumber(offset: 10, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [12, 16])]
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.pm25, .octets(OctetNumber(offset: 10, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [28, 30])]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x06D5), length: 14...253, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x00)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [24])]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 17500, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 4500, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, octets: 2)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 10000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.vocIndex, .octets(OctetNumber(offset: 8, octets: 2)))
        form.fields.append(field)
        field = FormField(.noxIndex, .octets(OctetNumber(offset: 10, octets: 2)))
        form.fields.append(field)
        field = FormField(.pm25, .octets(OctetNumber(offset: 12, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x06D5), length: 16...253, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x00)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [20, 26, 31])]
        field = FormField(.temperature, .octets(OctetNumber(offset: 4, octets: 2)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 17500, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.subtract, .number(Field.Decimal(mantissa: 4500, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 6, octets: 2)))
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 10000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.co2, .octets(OctetNumber(offset: 8, octets: 2)))
        form.fields.append(field)
        field = FormField(.vocIndex, .octets(OctetNumber(offset: 10, octets: 2)))
        form.fields.append(field)
        field = FormField(.noxIndex, .octets(OctetNumber(offset: 12, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [26])]
        form.fields.append(field)
        field = FormField(.pm25, .octets(OctetNumber(offset: 12, octets: 2)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [20])]
        field.steps = [.operation(.multiply, .number(Field.Decimal(mantissa: 100000, places: 0))), .operation(.add, .number(Field.Decimal(mantissa: 32767, places: 0))), .operation(.quotient, .number(Field.Decimal(mantissa: 65535, places: 0))), .operation(.divide, .number(Field.Decimal(mantissa: 100, places: 0)))]
        form.fields.append(field)
        field = FormField(.pm25, .octets(OctetNumber(offset: 12, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [31])]
        form.fields.append(field)
        field = FormField(.pm25, .octets(OctetNumber(offset: 14, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [26])]
        form.fields.append(field)
        field = FormField(.formaldehyde, .octets(OctetNumber(offset: 14, octets: 2)))
        field.factor = Field.Decimal(mantissa: 2456, places: 7)
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [20, 31])]
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
