// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/qingping.toml.

import BluetoothCore

extension SensorDefinition {
    static let qingping: SensorDefinition = {
        var definition = SensorDefinition(key: "qingping", name: "Qingping", forms: [])
        definition.products = "CGG1, CGH1, CGP1W, CGD1, CGDN1, CGM1, CGDK2, CGPR1, CGF1W, CGP23W, CGC1, CGP22C, CGG3, CGR1"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x01)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 3, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 2...2, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x02)]
        field = FormField(.battery, .octets(OctetNumber(offset: 1, mask: 0x7F)))
        field.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [255], isNegated: true)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 2...2, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x04)]
        field = FormField(.opening, .octets(OctetNumber(offset: 1)))
        field.lookup = [0: .int(1), 1: .int(0), 2: .int(1)]
        form.fields.append(field)
        field = FormField(.leftOpen, .octets(OctetNumber(offset: 1)))
        field.lookup = [0: .int(0), 1: .int(0), 2: .int(1)]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 3...3, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x07)]
        field = FormField(.pressure, .octets(OctetNumber(offset: 1, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 1)
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x08)]
        field = FormField(.motion, .octets(OctetNumber(offset: 1)))
        form.fields.append(field)
        field = FormField(.illuminance, .octets(OctetNumber(offset: 2, octets: 3)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x09)]
        field = FormField(.illuminance, .octets(OctetNumber(offset: 1, octets: 4)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 2...2, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x11)]
        field = FormField(.light, .octets(OctetNumber(offset: 1)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x12)]
        field = FormField(.pm25, .octets(OctetNumber(offset: 1, octets: 2)))
        form.fields.append(field)
        field = FormField(.pm10, .octets(OctetNumber(offset: 3, octets: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 3...3, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x13)]
        field = FormField(.co2, .octets(OctetNumber(offset: 1, octets: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 3...3, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x15)]
        field = FormField(.vocIndex, .octets(OctetNumber(offset: 1, octets: 2)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.record, length: 2...2, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x19)]
        field = FormField(.soundLevel, .octets(OctetNumber(offset: 1)))
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
