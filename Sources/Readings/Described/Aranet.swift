// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/aranet.toml.

import BluetoothCore

extension SensorDefinition {
    static let aranet: SensorDefinition = {
        var definition = SensorDefinition(key: "aranet", name: "Aranet", forms: [])
        definition.products = "Aranet4, Aranet2, Aranet Radiation, Aranet Radon"
        definition.hint = "Switch on Smart Home integrations in the Aranet Home app; it needs firmware 1.2 or later. `ts` is when a sample was first heard; where the gateway has just started, it may have been taken up to `sample_interval` before."
        var form: SensorForm
        var field: FormField
        form = SensorForm(.record, length: 23...23, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x00)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x20)), values: [1]), OctetCondition(.number(OctetNumber(offset: 17)), range: .min...3)]
        form.model = "Aranet4"
        field = FormField(.co2, .octets(OctetNumber(offset: 9, octets: 2)))
        field.unknownAbove = 32767
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 11, octets: 2)))
        field.factor = Field.Decimal(mantissa: 5, places: 2)
        field.unknownAbove = 16383
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 13, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [0]
        field.unknownAbove = 32767
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 15)))
        field.unknownAbove = 100
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 16)))
        form.fields.append(field)
        field = FormField(.co2Status, .octets(OctetNumber(offset: 17)))
        field.lookup = [1: .string("green"), 2: .string("yellow"), 3: .string("red")]
        form.fields.append(field)
        field = FormField(.sampleInterval, .octets(OctetNumber(offset: 18, octets: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 24...24, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x20)), values: [1]), OctetCondition(.number(OctetNumber(offset: 18)), range: .min...15)]
        form.model = "Aranet2"
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2)))
        field.factor = Field.Decimal(mantissa: 5, places: 2)
        field.unknownAbove = 16383
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 14, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknownAbove = 32767
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 17)))
        form.fields.append(field)
        field = FormField(.sampleInterval, .octets(OctetNumber(offset: 19, octets: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 24...24, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x02)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x20)), values: [1]), OctetCondition(.number(OctetNumber(offset: 18)), range: .min...15)]
        form.model = "Aranet Radiation"
        field = FormField(.radiationRate, .octets(OctetNumber(offset: 14, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        form.fields.append(field)
        field = FormField(.radiationTotal, .octets(OctetNumber(offset: 6, octets: 4)))
        field.factor = Field.Decimal(mantissa: 1, places: 6)
        form.fields.append(field)
        field = FormField(.radiationDuration, .octets(OctetNumber(offset: 10, octets: 4)))
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 17)))
        form.fields.append(field)
        field = FormField(.sampleInterval, .octets(OctetNumber(offset: 19, octets: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 24...24, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x03)]
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1, mask: 0x20)), values: [1]), OctetCondition(.number(OctetNumber(offset: 18)), range: .min...15)]
        form.model = "Aranet Radon"
        field = FormField(.radon, .octets(OctetNumber(offset: 8, octets: 2)))
        field.unknownAbove = 7935
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2)))
        field.factor = Field.Decimal(mantissa: 5, places: 2)
        field.unknownAbove = 16383
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 10, octets: 2)), range: 1...16383)]
        form.fields.append(field)
        field = FormField(.temperature, .octets(OctetNumber(offset: 10, octets: 2)))
        field.factor = Field.Decimal(mantissa: 5, places: 2)
        field.unknownAbove = 16383
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 10, octets: 2)), values: [0]), OctetCondition(.number(OctetNumber(offset: 14, octets: 2)), range: 1...32767)]
        form.fields.append(field)
        field = FormField(.pressure, .octets(OctetNumber(offset: 12, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknown = [0]
        field.unknownAbove = 32767
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 14, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknownAbove = 32767
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 14, octets: 2)), range: 1...32767)]
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 14, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        field.unknownAbove = 32767
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 14, octets: 2)), values: [0]), OctetCondition(.number(OctetNumber(offset: 10, octets: 2)), range: 1...16383)]
        form.fields.append(field)
        field = FormField(.battery, .octets(OctetNumber(offset: 17)))
        form.fields.append(field)
        field = FormField(.sampleInterval, .octets(OctetNumber(offset: 19, octets: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
