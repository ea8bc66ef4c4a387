// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/ela.toml.

import BluetoothCore

extension SensorDefinition {
    static let ela: SensorDefinition = {
        var definition = SensorDefinition(key: "ela", name: "ELA", forms: [])
        definition.products = "Blue Puck and Blue Coin T, RHT, MAG, TPROBE; Teltonika's of the same names"
        var form: SensorForm
        var field: FormField
        form = SensorForm(.manufacturer(0x0757), length: 3...3, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x12)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 1, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -5500...12500
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x0757), length: 5...5, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0x21), .init(mask: 0x00, value: 0x00), .init(mask: 0xFF, value: 0x12)]
        field = FormField(.temperature, .octets(OctetNumber(offset: 3, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.allowed = -5500...12500
        form.fields.append(field)
        field = FormField(.humidity, .octets(OctetNumber(offset: 1)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0x2A6E), length: 5...5, fields: [])
        form.companion = .manufacturer(0x0757)
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 2)), values: [242])]
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -5500...12500
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 3, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.allowed = 1000...4200
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0x2A6F), length: 4...4, fields: [])
        form.companion = .manufacturer(0x0757)
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 1)), values: [242])]
        field = FormField(.humidity, .octets(OctetNumber(offset: 0)))
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 2, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.allowed = 1000...4200
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0x2A06), length: 5...5, fields: [])
        form.companion = .manufacturer(0x0757)
        form.conditions = [OctetCondition(.number(OctetNumber(offset: 2)), values: [242])]
        field = FormField(.opening, .octets(OctetNumber(offset: 0, mask: 0x1)))
        field.steps = [.not]
        form.fields.append(field)
        field = FormField(.voltage, .octets(OctetNumber(offset: 3, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.allowed = 1000...4200
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0x2A6E), length: 2...2, fields: [])
        form.localName = "P *"
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -5500...12500
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0x2A6E), length: 2...2, fields: [])
        form.localName = "C *"
        field = FormField(.temperature, .octets(OctetNumber(offset: 0, octets: 2, kind: .signed)))
        field.factor = Field.Decimal(mantissa: 1, places: 2)
        field.unknown = [32767]
        field.allowed = -5500...12500
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0x2A6F), length: 1...1, fields: [])
        form.localName = "P *"
        field = FormField(.humidity, .octets(OctetNumber(offset: 0)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.serviceData(0x2A06), length: 2...2, fields: [])
        form.localName = "P MAG*"
        field = FormField(.opening, .octets(OctetNumber(offset: 0, mask: 0x1)))
        field.steps = [.not]
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x0757), length: 2...2, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xF1)]
        field = FormField(.battery, .octets(OctetNumber(offset: 1)))
        form.fields.append(field)
        definition.forms.append(form)
        form = SensorForm(.manufacturer(0x0757), length: 3...3, fields: [])
        form.prefix = [.init(mask: 0xFF, value: 0xF2)]
        field = FormField(.voltage, .octets(OctetNumber(offset: 1, octets: 2)))
        field.factor = Field.Decimal(mantissa: 1, places: 3)
        field.allowed = 1000...4200
        form.fields.append(field)
        definition.forms.append(form)
        return definition
    }()
}
